package doctor

import (
	"cmp"
	"context"

	"acpshim/internal/conversation"
	"acpshim/internal/wire"
)

// versions says which versions of the protocol the agent speaks, and what that means for an editor
// of the other one. Speaks1 says whether it speaks version 1. It reports whether it speaks any.
func (x *examination) versions(ctx context.Context, speaks1 bool) bool {
	params := map[string]any{
		"protocolVersion": 2, "capabilities": map[string]any{},
		"info": map[string]string{"name": cmp.Or(x.Client.Name, "acpshim-doctor"), "version": cmp.Or(x.Client.Version, "0")},
	}
	result, _ := x.run(ctx, params, func(context.Context, *process, response, error) bool { return true })
	o, _ := wire.Parse(result)
	speaks2 := o != nil && conversation.ReadAgent(o).Version == 2
	only := func(one, other string) {
		if x.Config.Version.Bridge {
			x.ok("versions", "only "+one+": acpshim translates for an editor that speaks only "+other+setBy(x.Config, "version.bridge"))
		} else {
			x.note("versions", "only "+one+": an editor that speaks only "+other+" cannot use it"+setBy(x.Config, "version.bridge"), "version.bridge = true has acpshim translate")
		}
	}
	switch {
	case ctx.Err() != nil:
	case speaks1 && speaks2:
		x.ok("versions", "1 and 2: an editor speaks its own with it")
	case speaks1:
		only("1", "2")
	case speaks2:
		only("2", "1")
	}
	return speaks1 || speaks2
}
