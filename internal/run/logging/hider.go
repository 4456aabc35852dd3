package logging

import (
	"errors"
	"sync"

	"acpshim/internal/record/redact"
	"acpshim/internal/text/terminal"
)

// A hider removes secrets from the texts of peers that are logged. The zero value is ready to use.
// Any goroutine may call it.
type hider struct {
	mu       sync.Mutex
	redactor *redact.Redactor // nil until it is needed: it takes time to make
}

// text returns a text without secrets.
func (h *hider) text(text string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.redactor == nil {
		h.redactor, _ = redact.New(redact.Options{}) // without patterns of a user there is no error
	}
	return string(h.redactor.Redact(nil, []byte(text)))
}

// err returns an error whose text has no secrets, or nil.
func (h *hider) err(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(h.text(err.Error()))
}

// beginning returns the beginning of a text without secrets, on one line of at most so many
// columns. More of the text is searched, so that no secret is cut before it is found.
func (h *hider) beginning(text string, columns int) string {
	return terminal.Plain(h.text(terminal.Cut(text, longest)), columns)
}
