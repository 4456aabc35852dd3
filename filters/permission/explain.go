package permission

import (
	"bytes"
	"fmt"
	"slices"

	"acpshim/filters/rule"
	"acpshim/internal/wire"
)

// Explain returns what each rule does with a permission request, for two peers. It returns nil if
// the line is not a permission request.
func Explain(rules []Rule, client, agent rule.Peer, line []byte) (steps []rule.Step) {
	msg, err := wire.Parse(line, "params")
	if method, _ := msg.Text("method"); err != nil || method != "session/request_permission" {
		return nil
	}
	params := msg.Open("params")
	call, err := wire.Parse(params.Raw("toolCall"))
	if err != nil {
		return nil
	}
	for i := range rules {
		r := &rules[i]
		step := rule.Step{From: rule.Agent, Rule: "[[permission]] " + r.Name, Before: bytes.Clone(line)}
		key, want, is := r.unmet(call)
		switch decided := slices.ContainsFunc(steps, func(s rule.Step) bool { return s.Matched }); {
		case !client.Matches(r.Client):
			key, want, is = "client", r.Client, client.Name
		case !agent.Matches(r.Agent):
			key, want, is = "agent", r.Agent, agent.Name
		case key == "" && decided:
			key, want, is = "an earlier table decides", "", ""
		}
		if step.WhyNot = key; key == "" {
			step.Matched, step.After = true, [][]byte{step.Before}
			r.does(&step, msg, params.Raw("options"))
		} else if want != "" {
			step.Want, step.Is = fmt.Sprintf("%q", want), fmt.Sprintf("%q", is)
		}
		steps = append(steps, step)
	}
	return steps
}

// does sets what a matching rule does with a request.
func (r *Rule) does(step *rule.Step, msg *wire.Object, options []byte) {
	option := r.option(options)
	switch {
	case r.Answer == Ask:
		step.Did = "leaves it to the user"
	case option == nil:
		step.Did = fmt.Sprintf("there is not one option of the kind %s, so it is left to the user", r.Answer)
	default:
		step.Did = fmt.Sprintf("answers it with the option %s (%s)", option, r.Answer)
		step.Reply, step.After = response(msg.Raw("id"), option), nil
	}
}
