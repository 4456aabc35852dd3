package doctor

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/setup/config"
)

// versions finds out which versions of the protocol the agent speaks, and reports what that means
// for an editor of the other version if acpshim does not translate. It returns whether the agent
// speaks any.
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
			x.ok("plans", "need no announcement in version 2")
			x.plansCome = true // every agent of version 2 may send them
		}
		return true
	})
	if x.Session && x.speaks2 && !speaks1 && ctx.Err() == nil {
		x.run(ctx, params, x.session)
	}
	if only, other := onlyVersion(speaks1); ctx.Err() == nil && speaks1 != x.speaks2 && !x.Config.Version.Bridge {
		x.note("versions", fmt.Sprintf("only %d: an editor that speaks only %d cannot use it", only, other)+setBy(x.Config, "version.bridge"), "set version.bridge = true to translate")
	}
	return speaks1 || x.speaks2
}

// onlyVersion returns the version of an agent that speaks only one, and the other version.
func onlyVersion(speaks1 bool) (only, other int) {
	if speaks1 {
		return 1, 2
	}
	return 2, 1
}

// translated reports for which editors acpshim translates between the versions of the protocol.
func (x *examination) translated(c config.Config) {
	if speaks1 := x.report.Agent.Protocol == 1; c.Version.Bridge && speaks1 != x.speaks2 {
		only, other := onlyVersion(speaks1)
		x.ok("versions", fmt.Sprintf("only %d: acpshim translates for an editor that speaks only %d", only, other)+setBy(c, "version.bridge"))
	}
}
