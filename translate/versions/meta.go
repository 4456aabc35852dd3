package versions

import (
	"bytes"

	"acpshim/internal/wire"
)

// The _meta of a tool call takes the place of the one before in version 1, and changes it name by
// name in version 2, in which null takes a member out.

// maxMeta is how much is kept of the _meta of a call, in bytes. A longer one is told as it comes.
const maxMeta = 16 << 10

// merged returns the _meta that a call has after a change of version 2, for version 1.
func (c *calls) merged(of *call, change []byte) []byte {
	o, now := open(change), of.meta
	if o == nil {
		return present(change)
	}
	for _, m := range o.Members {
		if raw := o.Raw(m.Name); wire.IsAbsent(raw) {
			now = wire.Without(now, m.Name)
		} else if with := wire.With(now, []string{m.Name}, raw); with != nil {
			now = with
		}
	}
	if now == nil {
		now = []byte("{}")
	}
	c.keep(of, now)
	return now
}

// changed returns the change to the _meta of a call for version 2 that makes it what version 1
// says.
func (c *calls) changed(of *call, now []byte) []byte {
	o := open(now)
	if o == nil {
		return now
	}
	change := now
	if before := open(of.meta); before != nil {
		for _, m := range before.Members {
			if o.Get(m.Name) == nil {
				change = wire.With(change, []string{m.Name}, []byte("null"))
			}
		}
	}
	c.keep(of, now)
	return change
}

func (c *calls) keep(of *call, meta []byte) {
	if len(meta) > maxMeta {
		meta = nil
	}
	c.bytes += len(meta) - len(of.meta)
	of.meta = bytes.Clone(meta)
}
