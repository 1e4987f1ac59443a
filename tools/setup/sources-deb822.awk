# SPDX-License-Identifier: GPL-2.0-only
#
# Print "URI SUITE KEYRING" for each binary source with a component "main" of a
# deb822 style apt source file.  KEYRING is "-" when a stanza names none or carries the key itself.

function reset()
{
	name = ""
	split("", value)
}

function is_usable()
{
	return value["types"] ~ /(^| )deb( |$)/ && \
	       value["components"] ~ /(^| )main( |$)/ && \
	       tolower(value["enabled"]) !~ /^ *(no|false|without|off|disable|0)/
}

function flush_stanza(	i, j, uris, suites, uri, suite, keyring)
{
	if (is_usable()) {
		keyring = "-"
		if (value["signed-by"] ~ /^ *\/[^ ]+ *$/) {
			keyring = value["signed-by"]
			gsub(/ /, "", keyring)
		}
		uris = split(value["uris"], uri)
		suites = split(value["suites"], suite)
		for (i = 1; i <= uris; i++)
			for (j = 1; j <= suites; j++)
				print uri[i], suite[j], keyring
	}
	reset()
}

BEGIN { reset() }
/^#/ { next }
/^[ \t]*$/ { flush_stanza(); next }
/^[ \t]/ {
	value[name] = value[name] " " $0
	next
}
{
	colon = index($0, ":")
	name = tolower(substr($0, 1, colon - 1))
	value[name] = substr($0, colon + 1)
	gsub(/\t/, " ", value[name])
}
END { flush_stanza() }
