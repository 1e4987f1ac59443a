# SPDX-License-Identifier: GPL-2.0-only
#
# Print "URI SUITE KEYRING" for each binary source with a component "main" of a
# one-line style apt source file ("deb [options] URI SUITE COMPONENT...").
# KEYRING is "-" when the line names none.

{ sub(/#.*/, "") }

$1 == "deb" {
	keyring = "-"
	if (match($0, /\[[^]]*\]/)) {
		options = substr($0, RSTART + 1, RLENGTH - 2)
		$0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
		count = split(options, option)
		for (i = 1; i <= count; i++)
			if (option[i] ~ /^signed-by=\//)
				keyring = substr(option[i], 11)
	}
	for (i = 4; i <= NF; i++)
		if ($i == "main")
			print $2, $3, keyring
}
