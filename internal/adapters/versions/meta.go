package versions

import (
	"bytes"

	"acpshim/internal/chain/wire"
)

// In version 1, the _meta of an update replaces that of the tool call. In version 2, it changes
// single members, and null removes one.

// maxMeta is the maximum _meta of a call that is kept, in bytes. A longer one passes unchanged.
const maxMeta = 16 << 10

// mergeMeta applies a change of version 2 to the _meta of a call, and returns the result.
func (c *calls) mergeMeta(of *call, change []byte) []byte {
	o, now := open(change), of.meta
	if o == nil {
		return present(change)
	}
	var set []wire.Setting
	for _, m := range o.Members {
		if raw := o.Raw(m.Name); wire.IsAbsent(raw) {
			now = wire.Without(now, m.Name) // at most maxMeta bytes
		} else {
			set = append(set, wire.Setting{Name: m.Name, Value: raw})
		}
	}
	if now == nil {
		now = []byte("{}")
	}
	now = wire.Splice(nil, now, open(now).Set(set...)...)
	c.keepMeta(of, now)
	return now
}

// metaChange returns the change of version 2 that replaces the _meta of a call.
func (c *calls) metaChange(of *call, now []byte) []byte {
	o := open(now)
	if o == nil {
		return now
	}
	var gone []wire.Setting
	if before := open(of.meta); before != nil {
		for _, m := range before.Members {
			if o.Get(m.Name) == nil {
				gone = append(gone, wire.Setting{Name: m.Name, Value: []byte("null")})
			}
		}
	}
	c.keepMeta(of, now)
	return wire.Splice(nil, now, o.Set(gone...)...)
}

func (c *calls) keepMeta(of *call, meta []byte) {
	if len(meta) > maxMeta {
		meta = nil
	}
	c.bytes += len(meta) - len(of.meta)
	of.meta = bytes.Clone(meta)
}
