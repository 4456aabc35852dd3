package rule

import (
	"errors"
	"fmt"

	"acpshim/internal/chain/wire"
)

// An Edit is one change that a rule makes to a message.
type Edit struct {
	Action string // the key in the configuration, such as "set"
	At     wire.Selector

	edit func(line []byte, room int) ([]byte, error)
}

// Edits returns the edits of a rule in order. It leaves out invalid ones.
func (r *Rule) Edits() []Edit {
	c := &compiler{source: r, rule: &compiledRule{}}
	c.compileEdits()
	return c.rule.edits
}

// apply returns a line with all edits. It skips edits of a place that does not exist. All edits
// together add at most room bytes. An error names the edit that failed.
func apply(line []byte, edits []Edit, room int) ([]byte, error) {
	most := len(line) + room
	for _, e := range edits {
		edited, err := e.edit(line, max(0, most-len(line)))
		switch {
		case errors.Is(err, wire.ErrNoValue):
			continue
		case errors.Is(err, wire.ErrLong):
			return nil, fmt.Errorf("%s %s: %w", e.Action, e.At, errGrown)
		case err != nil:
			return nil, fmt.Errorf("%s %s: %w", e.Action, e.At, err)
		}
		line = edited
	}
	return line, nil
}

var errGrown = fmt.Errorf("rules would add more than %d MiB to the line", maxBytes>>20)

// compileEdits compiles the edits in order.
func (c *compiler) compileEdits() {
	s := c.source
	for _, a := range s.Rename {
		if a.Name == "" {
			c.problem("rename", a.Pointer, "%s: empty: want the new name of the key", a.Pointer)
		}
		c.edit("rename", a.Pointer, nil, func(p wire.Selector, line, _ []byte, room int) ([]byte, error) {
			return p.Rename(line, a.Name, room)
		})
	}
	for _, a := range s.Set {
		c.edit("set", a.Pointer, c.json("set", a.Pointer, a.Value), wire.Selector.Set)
	}
	for _, a := range s.Append {
		c.edit("append", a.Pointer, c.json("append", a.Pointer, a.Value), wire.Selector.Append)
	}
	for _, pointer := range s.Delete {
		c.edit("delete", pointer, nil, func(p wire.Selector, line, _ []byte, _ int) ([]byte, error) { return p.Delete(line) })
	}
}

func (c *compiler) edit(action, pointer string, value []byte, change func(p wire.Selector, line, value []byte, room int) ([]byte, error)) {
	p, ok := c.pointer(action, pointer)
	switch {
	case !ok:
		return
	case len(p) == 0:
		c.problem(action, pointer, "%q is the whole message: want a place in it, such as \"/params/update\"", pointer)
		return
	case len(p) == 1 && (p[0] == "id" || p[0] == "jsonrpc"):
		c.problem(action, pointer, "%s: the message would be another's: want a place below /params, /result or /error", pointer)
		return
	}
	c.rule.edits = append(c.rule.edits, Edit{action, p, func(line []byte, room int) ([]byte, error) {
		return change(p, line, value, room)
	}})
}
