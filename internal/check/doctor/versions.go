package doctor

import (
	"cmp"
	"context"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
)

// versions reports which versions of the protocol the agent speaks and what that means for an
// editor of the other version. It returns whether the agent speaks any.
func (x *examination) versions(ctx context.Context, speaks1 bool) bool {
	params := map[string]any{
		"protocolVersion": 2, "capabilities": map[string]any{},
		"info": map[string]string{"name": cmp.Or(x.Client.Name, "acpshim-doctor"), "version": cmp.Or(x.Client.Version, "0")},
	}
	begun := time.Now()
	x.run(ctx, params, func(ctx context.Context, p *peer.Process, e *peer.Exchange, _ error) bool {
		o, _ := wire.Parse(e.Result())
		x.speaks2 = o != nil && conversation.ReadAgent(o).Version == 2
		if x.speaks2 && !speaks1 {
			x.introduce(readAgent(o), "version 2", time.Since(begun))
			x.probe(ctx, p)
			x.plansCome = true // every agent of version 2 may send them
		}
		return true
	})
	if x.Session && x.speaks2 && !speaks1 && ctx.Err() == nil {
		x.run(ctx, params, x.session)
	}
	only, other := "2", "1"
	if speaks1 {
		only, other = "1", "2"
	}
	switch {
	case ctx.Err() != nil:
	case speaks1 == x.speaks2:
	case !x.Config.Version.Bridge:
		x.note("versions", "only "+only+": an editor that speaks only "+other+" cannot use it"+setBy(x.Config, "version.bridge"), "set version.bridge = true to translate")
	case x.speaks2:
		x.ok("versions", "only 2: acpshim translates for an editor that speaks only 1")
	}
	return speaks1 || x.speaks2
}
