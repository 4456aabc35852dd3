package redact

import (
	"bytes"
	"strings"
)

var (
	switches = lazily(`^(?:0|1|true|false|yes|no|on|off)$`)
	// plainValues are paths, or are made of words and small numbers.
	plainValues = lazily(`^(?:[/~.\\](?:[A-Za-z0-9]{0,39}[^A-Za-z0-9@\\])*[A-Za-z0-9]{0,39}|(?:(?:[A-Za-z]+|[0-9]+|[A-Za-z0-9]{1,8})(?:[^A-Za-z0-9@\\]+|$)){0,16})$`)
)

// isHarmless reports whether a variable or a header may be read by anybody: the value is a switch,
// or the name is one of those that hold no secrets and the value is plain.
func isHarmless(name, value []byte) bool {
	return switches().Match(value) || isHarmlessName(name) && len(value) < sure && plainValues().Match(value)
}

func isHarmlessName(name []byte) bool {
	n := string(bytes.ToLower(name))
	return names().harmlessNames.Match(n) || names().harmlessLastWords.Match(n)
}

// placeholders match what stands where a secret would.
var placeholders = lazily(`^(?:x{3,}|X{3,}|\*+|\.+|-+|_+|…+|•+|\$\{.*|\$\(.*|\$[a-z_]+|\$[A-Z_][A-Z0-9_]*|\{\{.*|%[a-z]|%[A-Z_]+%|<[^<>]*>|\{[a-z_]*\}|(?i:your)[-_ ].*)$`)

// isPlaceholder reports whether a value is not one: a type, a word of a language, a variable.
func isPlaceholder(value []byte) bool {
	value = bytes.TrimRight(value[:min(len(value), maxName+1)], "!?[]")
	return len(value) <= maxName && (names().placeholders[strings.ToLower(string(value))] || placeholders().Match(value))
}
