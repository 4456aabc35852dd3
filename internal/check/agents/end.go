package agents

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/text/terminal"
	"acpshim/proxy"
)

// end closes the agent's input and judges how it ends.
func (p *process) end() {
	if p.HasEnded() || p.ctx.Err() != nil {
		p.skip(p.reason(), "exit-on-eof", "no-children")
		return
	}
	p.Stop()
	if p.EndedEarly() {
		p.skip(p.reason(), "exit-on-eof", "no-children")
		return
	}
	p.tried("exit-on-eof")
	wasForced := func(s proxy.Step) bool { return s.What == proxy.Terminated || s.What == proxy.Signaled }
	if slices.ContainsFunc(p.Ending().Steps, wasForced) {
		p.fail("exit-on-eof", fault{got: say("the agent still running ", p.InputGrace(), " after its input was closed"), text: "clients close stdin to end the agent"})
	}
	left, ok := p.Left()
	if !ok {
		p.skip(say("the processes that it leaves are not known on this system"), "no-children")
		return
	}
	p.tried("no-children")
	if len(left) > 0 {
		var names []string
		for _, child := range left {
			names = append(names, fmt.Sprintf("%s (%d)", terminal.Name(child.Name), child.ID))
		}
		p.fail("no-children", fault{got: say("processes that still run ", p.times.end, " after its end: ", strings.Join(names, ", ")), text: "an agent ends what it has started"})
	}
}

// reason returns why the process is over.
func (p *process) reason() phrase {
	if p.lost != nil {
		return p.lost
	}
	return say("the agent ended after ", p.last())
}

// died says how the agent ended, with the last line that it wrote to standard error. The process
// has to have ended.
func (p *process) died() phrase {
	how := say("the agent ", p.Ending().Status, " after ", p.last())
	if last := terminal.LastLines(p.Stderr(), 1, 120); len(last) > 0 {
		how = append(how, "; its last line on standard error: ", terminal.Quote(last[0]))
	}
	return how
}

// alive judges whether the agent ran until its input was closed.
func (p *process) alive() {
	if !p.expects || p.ctx.Err() != nil {
		return
	}
	p.tried("alive")
	switch {
	case p.EndedEarly():
		p.fail("alive", fault{got: p.died(), text: "the agent MUST run until its input is closed"})
	case p.isDeaf:
		p.fail("alive", fault{got: p.lost, text: "the agent MUST run until its input is closed"})
	}
}
