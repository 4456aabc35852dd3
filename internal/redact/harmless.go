package redact

import "bytes"

var (
	switches = lazily(`^(?:0|1|true|false|yes|no|on|off)$`)
	// plainValues are paths, or are made of words and small numbers.
	plainValues = lazily(`^(?:[/~.\\](?:[A-Za-z0-9]{0,39}[^A-Za-z0-9@\\])*[A-Za-z0-9]{0,39}|(?:(?:[A-Za-z]+|[0-9]+|[A-Za-z0-9]{1,8})(?:[^A-Za-z0-9@\\]+|$)){0,16})$`)
)

// isHarmless reports whether a variable or a header may be read by anybody: the value is a switch, or the
// name is one of those that hold no secrets and the value is plain.
func isHarmless(name, value []byte) bool {
	return switches().Match(value) || isHarmlessName(name) && len(value) < sure && plainValues().Match(value)
}

func isHarmlessName(name []byte) bool {
	n := string(bytes.ToLower(name))
	return names().harmlessNames.Match(n) || names().harmlessLastWords.Match(n)
}
