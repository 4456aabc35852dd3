package rule

import (
	"errors"
	"fmt"

	"acpshim/internal/wire"
)

// An edit is an action on one place of a message.
type edit struct {
	action string // as the configuration calls it
	at     wire.Pointer
	edit   func(line []byte) (wire.Edit, error)
}

// apply returns the line with the edits made, one after another. A place that
// is not there is left out; the error is of one that may not be edited.
func apply(line []byte, edits []edit) ([]byte, error) {
	for _, e := range edits {
		change, err := e.edit(line)
		switch {
		case errors.Is(err, wire.ErrNoValue):
			continue
		case err != nil:
			return nil, fmt.Errorf("%s %s: %w", e.action, e.at, err)
		}
		line = wire.Splice(nil, line, change)
	}
	return line, nil
}

// compileEdits compiles what is done to places, in the order in which it is
// done.
func (c *compiler) compileEdits() {
	s := c.source
	for _, a := range s.Rename {
		if a.Name == "" {
			c.problemAt("rename", a.Pointer, "%s: empty: want the new name of the key", a.Pointer)
		}
		c.edit("rename", a.Pointer, func(p wire.Pointer, line []byte) (wire.Edit, error) { return p.Rename(line, a.Name) })
	}
	for _, a := range s.Set {
		value := c.json("set", a.Pointer, a.Value)
		c.edit("set", a.Pointer, func(p wire.Pointer, line []byte) (wire.Edit, error) { return p.Set(line, value) })
	}
	for _, a := range s.Append {
		value := c.json("append", a.Pointer, a.Value)
		c.edit("append", a.Pointer, func(p wire.Pointer, line []byte) (wire.Edit, error) { return p.Append(line, value) })
	}
	for _, pointer := range s.Delete {
		c.edit("delete", pointer, wire.Pointer.Delete)
	}
}

func (c *compiler) edit(action, pointer string, change func(wire.Pointer, []byte) (wire.Edit, error)) {
	p, ok := c.pointer(action, pointer)
	switch {
	case !ok:
		return
	case len(p) == 0:
		c.problemAt(action, pointer, "%q is the whole message: want a place in it, such as \"/params/update\"", pointer)
		return
	case len(p) == 1 && (p[0] == "id" || p[0] == "jsonrpc"):
		c.problemAt(action, pointer, "%s: the message would be another's: want a place below /params, /result or /error", pointer)
		return
	}
	c.rule.edits = append(c.rule.edits, edit{action, p, func(line []byte) (wire.Edit, error) { return change(p, line) }})
}
