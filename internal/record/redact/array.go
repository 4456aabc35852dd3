package redact

import "bytes"

// readElements reads those of an array. Strings may be the arguments of a program, the assignments
// of an environment, or a name and its value.
func (w *walker) readElements(at place, kind Kind) error {
	if at == pairsPlace {
		at = pairPlace
	}
	var c call
	program, _, _ := bytes.Cut(w.command, []byte(" "))
	c.read(w.Redactor, program)
	w.command = nil
	isNamed := false // the only one before is the name of a secret
	for n := 0; w.dec.PeekKind() != ']'; n++ {
		edits, isText := len(w.edits), w.dec.PeekKind() == '"' && (at == anyPlace || at == pairPlace)
		v, err := w.readValue(at, kind)
		if err != nil {
			return err
		}
		if !isText {
			c.before = nil
			continue
		}
		text, kind := w.plain(v), kind
		from := -1
		if at == pairPlace {
			from = assignedSecret(text)
		}
		if inCall := c.read(w.Redactor, text); from < 0 {
			from, kind = inCall, Key
		}
		if isNamed && looksMade(text) && w.dec.PeekKind() == ']' {
			from = 0
		}
		isNamed = n == 0 && w.classify(text) == strong
		if from >= 0 {
			w.edits = w.edits[:edits]
			w.replace(v, from, kind)
		}
	}
	return nil
}

// assignedSecret returns where the value begins in NAME=value or in a line of a header, or -1 if it
// is harmless.
func assignedSecret(text []byte) (from int) {
	sign := bytes.IndexAny(text[:min(len(text), sure)], "=:")
	if sign <= 0 || text[0] == '[' || isHarmless(text[:sign], bytes.TrimSpace(text[sign+1:])) {
		return -1
	}
	return sign + 1
}
