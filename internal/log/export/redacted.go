// Package export writes records for others: without secrets, and in the formats of other tools.
package export

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strconv"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/redact"
)

// Options say what is copied. The zero value copies everything.
type Options struct {
	Redactor *redact.Redactor      // nil leaves secrets where they are
	Keep     func(seq uint64) bool // which messages are copied, by number; nil is all
}

// Copy writes the entries of the record that open opens to w, a line each. With a Redactor it reads
// them twice: the second time it knows all session ids, and only that is in the Redactor's tally. A
// Redactor also leaves out lines, kinds and members that this version does not know, because they
// may contain anything. Lines that do not begin with "{" are left out in any case. With Keep,
// stderr and events are left out.
//
// The error is one of open, of reading or of writing.
func Copy(w io.Writer, open func() (io.ReadCloser, error), o Options) error {
	_, err := copyLines(w, open, o)
	return err
}

// Read reads the history that [Copy] would write. It counts lines that Copy leaves out because they
// are not entries as broken, like [history.Read]. The error is one of open or of reading.
func Read(open func() (io.ReadCloser, error), o Options) (h *history.History, err error) {
	broken, err := piped(open, o, func(r *record.Reader) (err error) {
		h, err = history.Read(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	h.Broken += broken
	return h, nil
}

// piped lets read read what Copy writes. It returns how many lines were left out because they are
// not entries.
func piped(open func() (io.ReadCloser, error), o Options, read func(*record.Reader) error) (broken int, err error) {
	r, w := io.Pipe()
	defer r.Close()
	go func() {
		n, err := copyLines(w, open, o)
		broken = n
		w.CloseWithError(err)
	}()
	if err := read(record.NewReader(r)); err != nil {
		return 0, err
	}
	return broken, nil // it is known at the end of the pipe
}

// copyLines is Copy, and returns how many lines it left out because they are not entries.
func copyLines(w io.Writer, open func() (io.ReadCloser, error), o Options) (broken int, err error) {
	if o.Redactor != nil {
		all := Options{Redactor: o.Redactor} // entries that are left out name sessions, too
		if _, err := pass(io.Discard, open, all); err != nil {
			return 0, err
		}
		o.Redactor.Tally() // the findings of the first pass do not count
	}
	return pass(w, open, o)
}

// pass writes the entries that are copied, without secrets if there is a Redactor. Broken is how
// many lines were left out because they are not entries.
func pass(w io.Writer, open func() (io.ReadCloser, error), o Options) (broken int, err error) {
	from, err := open()
	if err != nil {
		return 0, err
	}
	defer from.Close()
	to := bufio.NewWriter(w)
	text := record.NewTextReader(from)
	var out []byte
	for {
		line, err := text.Next()
		switch {
		case errors.Is(err, io.EOF):
			return broken + text.Skipped, to.Flush()
		case err != nil:
			return broken, err
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		rec, err := wire.Parse(line)
		if err != nil && o.Redactor != nil {
			broken++
			continue
		}
		if !o.keeps(rec) {
			continue
		}
		if out = append(out[:0], line...); o.Redactor != nil {
			out = appendRedacted(out[:0], line, rec, o.Redactor)
		}
		if len(out) == 0 {
			continue
		}
		if _, err := to.Write(append(out, '\n')); err != nil {
			return broken, err
		}
	}
}

// keeps reports whether an entry is copied. A line that is not an entry is copied.
func (o Options) keeps(rec *wire.Object) bool {
	if o.Keep == nil {
		return true
	}
	switch kind, _ := rec.Text("kind"); kind {
	case "message":
		seq, err := strconv.ParseUint(string(rec.Raw("seq")), 10, 64)
		return err == nil && o.Keep(seq)
	case "stderr", "event", "file":
		return false
	}
	return true
}

// plain are the members of each kind that cannot have a secret.
var plain = map[string][]string{
	"start":   {"schema", "time", "run", "part", "acpshim", "go", "os", "arch", "config", "cpus", "pid"},
	"message": {"seq", "time", "mono", "dir", "stage", "place", "of", "from", "held", "for", "len"}, // a digest of a short secret could be guessed
	"stderr":  {"seq", "time", "mono"},
	"event":   {"seq", "time", "mono"},
	"file":    {"seq", "time", "mono"},
	"gap":     {"seq", "time", "mono", "stream", "count", "bytes", "from", "to"},
	"end":     {"seq", "time", "mono", "status", "steps", "client", "agent", "gaps", "lost"},
}

// appendRedacted appends an entry without its secrets, and without an end of line. It appends
// nothing for an unknown kind.
func appendRedacted(dst, line []byte, rec *wire.Object, r *redact.Redactor) []byte {
	kind, _ := rec.Text("kind")
	known, ok := plain[kind]
	if !ok {
		return dst
	}
	dst = wire.Quote(append(dst, `{"kind":`...), kind)
	marked := kind == "start"
	for _, m := range rec.Members {
		value := line[m.Value.Start:m.Value.End]
		clean := value
		switch m.Name {
		case "kind":
			continue
		case "redacted":
			marked = marked || string(value) == "true"
			continue
		case "head":
			marked = true // a cut message cannot be read for certain
			continue
		case "msg", "event", "file":
			clean = r.Redact(nil, value)
		case "b64":
			clean = base64Without(value, r)
		case "text", "cwd", "signal", "not_started", "path", "connection":
			clean = textWithout(value, r)
		case "why":
			clean = whyWithout(value, r)
		case "reasons":
			clean = reasonsWithout(value, r)
		case "argv", "by":
			clean = listWithout(value, r)
		default:
			if !slices.Contains(known, m.Name) {
				continue
			}
		}
		if clean == nil {
			continue
		}
		marked = marked || !bytes.Equal(clean, value)
		dst = append(wire.Quote(append(dst, ','), m.Name), ':')
		dst = append(dst, clean...)
	}
	if marked && kind != "gap" && kind != "end" {
		dst = append(dst, `,"redacted":true`...)
	}
	return append(dst, '}')
}

// whyWithout redacts the reason of a gap, or the list of reasons of a message.
func whyWithout(value []byte, r *redact.Redactor) []byte {
	if _, ok := wire.Elements(value); !ok {
		return textWithout(value, r)
	}
	clean := wire.MapElements(value, func(e []byte) []byte { return orElse(textWithout(e, r), []byte(`""`)) })
	return orElse(clean, value)
}

// reasonsWithout redacts the names and the values of a list of reasons, and leaves out what it does
// not know. It is nil for anything that is not a list.
func reasonsWithout(value []byte, r *redact.Redactor) []byte {
	if _, ok := wire.Elements(value); !ok {
		return nil
	}
	clean := wire.MapElements(value, func(e []byte) []byte {
		reason, err := wire.Parse(e)
		code, ok := reason.Text("code")
		if err != nil || !ok {
			return nil
		}
		clean := append([]byte(`{"by":`), orElse(textWithout(reason.Raw("by"), r), []byte(`""`))...)
		clean = wire.Quote(append(clean, `,"code":`...), code)
		if values := reason.Raw("values"); values != nil {
			clean = append(append(clean, `,"values":`...), whyWithout(values, r)...)
		}
		if shows, ok := wire.Elements(reason.Raw("shows")); ok && isNumbers(shows) {
			clean = append(append(clean, `,"shows":`...), reason.Raw("shows")...)
		}
		return append(clean, '}')
	})
	return orElse(clean, value)
}

func isNumbers(elements [][]byte) bool {
	return !slices.ContainsFunc(elements, func(e []byte) bool {
		_, err := strconv.ParseUint(string(e), 10, 64)
		return err != nil
	})
}

func orElse(value, fallback []byte) []byte {
	if value == nil {
		return fallback
	}
	return value
}

// base64Without redacts base64; it is nil for anything else. The bytes may be a message with an odd
// end.
func base64Without(value []byte, r *redact.Redactor) []byte {
	text, _ := wire.Text(value)
	line, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	without := r.Redact(nil, line)
	if bytes.Equal(without, line) {
		return value
	}
	return wire.Quote(nil, base64.StdEncoding.EncodeToString(without))
}

// textWithout redacts a string; it is nil for anything else.
func textWithout(value []byte, r *redact.Redactor) []byte {
	text, ok := wire.Text(value)
	if !ok {
		return nil
	}
	without := r.Redact(nil, []byte(text))
	if string(without) == text {
		return value
	}
	return wire.Quote(nil, string(without))
}

// listWithout redacts the strings of a list, and leaves out its other elements. It is nil for
// anything that is not a list.
func listWithout(value []byte, r *redact.Redactor) []byte {
	elements, ok := wire.Elements(value)
	if !ok {
		return nil
	}
	args := make([]string, 0, len(elements))
	for _, e := range elements {
		if text, ok := wire.Text(e); ok {
			args = append(args, text)
		}
	}
	out := []byte{'['}
	for i, without := range r.Args(args) {
		if i > 0 {
			out = append(out, ',')
		}
		out = wire.Quote(out, without)
	}
	return append(out, ']')
}
