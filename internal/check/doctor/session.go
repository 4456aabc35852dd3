package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
	"acpshim/internal/check/peer"
	"acpshim/internal/text/terminal"
)

// sessionTime is the time for opening a session.
const sessionTime = 30 * time.Second

// session opens a session in a temporary folder, reports the result, and closes it.
func (x *examination) session(ctx context.Context, p *peer.Process, e *peer.Exchange, err error) bool {
	if err != nil || e.Result() == nil {
		return false // the first run said why
	}
	folder, err := os.MkdirTemp("", "acpshim-doctor-")
	if err != nil {
		x.note("session", err.Error(), "")
		return false
	}
	defer os.RemoveAll(folder)
	defer p.Stop() // before its folder goes
	opened, err := p.Ask(ctx, sessionTime, acp.SessionNew, map[string]any{"cwd": folder, "mcpServers": []any{}})
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil:
		x.problem("session", fmt.Sprintf("session/new: %v", err), "", x.lastLines(p.Stderr(), 3)...)
		return false
	case opened.Result() == nil:
		x.unopened(opened.Failure())
		return false
	}
	o, _ := wire.Parse(opened.Result())
	x.ok("session", "session/new returns "+hasOf(o))
	x.closeSession(ctx, p, o.Raw("sessionId"))
	return true
}

func (x *examination) unopened(raw []byte) {
	o, _ := wire.Parse(raw)
	message, _ := o.Text("message")
	text := fmt.Sprintf("session/new fails with error %s: %s", o.Raw("code"), terminal.Plain(x.secretless(message), 200))
	if string(o.Raw("code")) == "-32000" {
		x.note("session", text, "log in with the agent's own command, or in the editor")
		return
	}
	x.problem("session", text, "")
}

// hasOf returns the names of the members of a session's result, without its id.
func hasOf(o *wire.Object) string {
	var all []string
	if o != nil {
		for _, m := range o.Members {
			if m.Name != "_meta" && m.Name != "sessionId" && !wire.IsAbsent(o.Raw(m.Name)) {
				all = append(all, m.Name)
			}
		}
	}
	return cmp.Or(strings.Join(all, ", "), "only its id")
}

// closeSession deletes or closes the session, if the agent can.
func (x *examination) closeSession(ctx context.Context, p *peer.Process, id []byte) {
	o, _ := wire.Parse(x.report.Agent.Capabilities, acp.SessionCapabilities)
	name, _ := wire.Text(id)
	for _, what := range []string{"close", "delete"} {
		isThere := wire.IsObject(o.Open(acp.SessionCapabilities).Raw(what))
		if isThere || what == "close" && x.report.Agent.Protocol == 2 {
			p.Ask(ctx, methodTime, "session/"+what, map[string]string{"sessionId": name})
		}
	}
}
