package terminal

import (
	"io"

	"acpshim/internal/text/runes"
)

// A Writer writes text as [Text] returns it. It is for one goroutine.
type Writer struct {
	to   io.Writer
	held []byte // an incomplete rune
}

// NewWriter returns a Writer.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write implements [io.Writer]. It keeps an incomplete rune for the next write.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.held, p...)
	end := runes.Whole(text)
	_, err := io.WriteString(w.to, Text(string(text[:end])))
	w.held = append([]byte(nil), text[end:]...)
	if err != nil {
		return 0, err
	}
	return len(p), nil
}
