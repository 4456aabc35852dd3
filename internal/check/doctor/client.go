package doctor

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/filters/rule"
	"acpshim/internal/run/relay"
	"acpshim/internal/setup/config"
	"acpshim/translate/todo"
)

// client reports which profiles apply and what acpshim does for the editor.
func (x *examination) client() {
	agent := rule.Peer{Name: x.report.Agent.Name, Version: x.report.Agent.Version}
	c := x.Config.For(x.Client, agent)
	x.translated(c)
	x.profiles(agent)
	if x.plansCome {
		x.ok("client", shown(c))
	}
	x.done(c, "plan.bridge", c.Plan.Bridge, "plan updates come in both spellings, if it knows them")
	x.todoTools(c, agent.Name)
	x.adapted(c, agent)
	x.gates(c)
	x.done(c, "junk", c.Junk != "pass" && x.report.Junk == 0, fmt.Sprintf("lines that are not messages do not reach it: junk = %q", c.Junk))
}

// profiles reports which profiles apply, and which one would apply to a similar name.
func (x *examination) profiles(agent rule.Peer) {
	for _, p := range x.Config.Applied(x.Client, agent) {
		text := "your settings override all of its keys"
		if changes := x.Config.Changes(p); changes != nil {
			text = strings.Join(changes, ", ")
		}
		text = fmt.Sprintf("%q: %s", p.Name, text)
		x.report.Profiles = append(x.report.Profiles, p.Name)
		x.ok("profile", text)
	}
	if len(x.report.Profiles) == 0 {
		x.detail("profile", "none applies: acpshim knows no quirks of this pair")
	}
}

// shown returns a sentence on how an editor without plan support gets plan updates.
func shown(c config.Config) string {
	as := map[string]string{"plan": "as one legacy plan", "message": "as messages", "thought": "as thoughts"}[c.Plan.ShowAs]
	if as == "" {
		return "it does not get plan updates" + setBy(c, "plan.show_as")
	}
	as += setBy(c, "plan.show_as")
	if c.Plan.Prose == "drop" {
		return "plan updates come " + as + ", without their text" + setBy(c, "plan.prose")
	}
	return "plan updates come " + as + ", their text as messages"
}

// todoTools reports which todo tools of the agent become plans.
func (x *examination) todoTools(c config.Config, agent string) {
	if !c.Plan.Tools {
		x.ok("client", "todo tools do not become plans"+setBy(c, "plan.tools"))
		return
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
		x.ok("client", fmt.Sprintf("its todo lists become plans if it sends none (plan.tool %s)", strings.Join(own, ", ")))
		return
	}
	x.detail("client", fmt.Sprintf("acpshim knows no todo tool of this agent, but %d of other agents (plan.tool)", others))
}

// gates reports which updates do not reach an editor that did not announce them.
func (x *examination) gates(c config.Config) {
	byDefault := relay.ClosedGates(config.Default())
	closed := slices.DeleteFunc(relay.ClosedGates(c), func(name string) bool { return slices.Contains(byDefault, name) })
	slices.Sort(closed)
	if len(closed) > 0 {
		x.ok("client", fmt.Sprintf("it does not get %s, unless it announces them%s", strings.Join(closed, ", "), setBy(c, "gate."+closed[0])))
	}
	x.done(c, "gate.updates", len(c.Gate.Updates) > 0, "it does not get updates of the kinds "+strings.Join(c.Gate.Updates, ", "))
}
