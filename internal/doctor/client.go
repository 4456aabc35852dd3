package doctor

import (
	"fmt"
	"slices"
	"strings"

	"acpshim"
	"acpshim/filters/rule"
	"acpshim/internal/config"
	"acpshim/internal/relay"
	"acpshim/translate/todo"
)

// client says which profiles apply, and what acpshim does about what the editor does not
// understand.
func (x *examination) client() {
	agreed := x.chain.agreed
	agent := rule.Peer{Name: agreed.Agent.Name, Version: agreed.Agent.Version}
	c := x.Config.For(x.Client, agent)
	x.profiles(agent)
	if agreed.Advertised {
		x.ok("client", shown(c))
	}
	if c.Plan.Bridge {
		x.ok("client", "if it knows plan updates, it gets both spellings of them")
	}
	x.ok("client", todoTools(c, agent.Name))
	x.adapted(c, agent)
	x.gates(c)
	x.done(c, "junk", c.Junk != "pass" && x.report.Junk == 0, fmt.Sprintf("lines that are no messages do not reach it: junk = %q", c.Junk))
}

// profiles says which profiles apply, and which one would if the name were spelled otherwise.
func (x *examination) profiles(agent rule.Peer) {
	for _, p := range x.Config.Applied(x.Client, agent) {
		text := "what it sets is overridden"
		if changes := x.Config.Changes(p); changes != nil {
			text = strings.Join(changes, ", ")
		}
		text = fmt.Sprintf("%q applies: %s", p.Name, text)
		x.report.Profiles = append(x.report.Profiles, p.Name)
		x.ok("profile", text)
	}
	if len(x.report.Profiles) == 0 {
		x.ok("profile", "none applies: no special case is known")
	}
}

// shown says how an editor without plan support gets plan updates.
func shown(c config.Config) string {
	as := map[string]string{"plan": "as one legacy plan", "message": "as messages", "thought": "as thoughts"}[c.Plan.ShowAs]
	if as == "" {
		return "does not get plan updates" + setBy(c, "plan.show_as")
	}
	as += setBy(c, "plan.show_as")
	if c.Plan.Prose == "drop" {
		return "gets plan updates " + as + ", not their text" + setBy(c, "plan.prose")
	}
	return "gets plan updates " + as + ", their text as messages"
}

// todoTools says which todo tools of the agent become plans: that which has the agent's name, if
// there is one.
func todoTools(c config.Config, agent string) string {
	if !c.Plan.Tools {
		return "todo tools do not become plans" + setBy(c, "plan.tools")
	}
	var own []string
	others := 0
	for _, t := range c.Plan.Tool {
		tool, err := todo.NewTool(t.ToolOptions)
		if err != nil || t.Off || !tool.Serves(agent) {
			continue
		}
		family, _, _ := strings.Cut(t.Name, "-")
		if t.Agent != "" || strings.Contains(strings.ToLower(agent), strings.ToLower(family)) {
			own = append(own, t.Name)
		} else {
			others++
		}
	}
	if own != nil {
		return fmt.Sprintf("its todo lists become plans if it sends none (plan.tool %s)", strings.Join(own, ", "))
	}
	return fmt.Sprintf("its todo tool is not known, if it has one; %d of others are (plan.tool)", others)
}

// gates says which updates reach an editor that did not announce them.
func (x *examination) gates(c config.Config) {
	byDefault := relay.ClosedGates(config.Default(acpshim.DefaultConfig))
	closed := slices.DeleteFunc(relay.ClosedGates(c), func(name string) bool { return slices.Contains(byDefault, name) })
	slices.Sort(closed)
	if len(closed) > 0 {
		x.ok("client", fmt.Sprintf("does not get %s, unless it announces them%s", strings.Join(closed, ", "), setBy(c, "gate."+closed[0])))
	}
	x.done(c, "gate.updates", len(c.Gate.Updates) > 0, "does not get updates of the kinds "+strings.Join(c.Gate.Updates, ", "))
}
