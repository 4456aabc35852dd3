package permission

import (
	"bytes"
	"fmt"

	"acpshim/filters/rule"
	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/wire"
)

// Explain returns what each rule does with a permission request, for two peers, if the agent has
// not announced its tool call. It returns nil if the line is not a permission request.
func Explain(rules []Rule, client, agent rule.Peer, line []byte) (steps []rule.Step) {
	msg, err := wire.Parse(line, "params")
	if method, _ := msg.Text("method"); err != nil || method != acp.SessionRequestPermission {
		return nil
	}
	request, err := wire.Parse(msg.Open("params").Raw("toolCall"))
	if err != nil {
		return nil
	}
	of := conversation.New(conversation.Options{}).CallOf("", request)
	return explain(rules, client, agent, callOf(of, request), line, "")
}

// explain is Explain for a call of which the agent may have said more. A reason in decided says why
// no rule decides.
func explain(rules []Rule, client, agent rule.Peer, c *call, line []byte, decided string) (steps []rule.Step) {
	msg, err := wire.Parse(line, "params")
	if err != nil {
		return nil
	}
	var apply []*Rule
	for i := range rules {
		if r := &rules[i]; client.Matches(r.Client) && agent.Matches(r.Agent) {
			apply = append(apply, r)
		}
	}
	by := deciding(apply, c)
	isLater := by != nil || decided == "" // for rules before the one that decides, or prevents it
	for i := range rules {
		r := &rules[i]
		step := rule.Step{From: rule.Agent, Rule: "[[permission]] " + r.Name, Before: bytes.Clone(line)}
		u := r.unmet(c)
		switch {
		case !client.Matches(r.Client):
			u = unmet{"client", r.Client, client.Name, false}
		case !agent.Matches(r.Agent):
			u = unmet{"agent", r.Agent, agent.Name, false}
		case decided != "" && (u.key == "" || u.isUnclear):
			u = unmet{key: decided}
		case r == by:
			decided, isLater = "an earlier rule decides", false
		case u.isUnclear && !r.Allows():
			if u = (unmet{key: u.unclear() + ", so you are asked"}); by == nil && isFirstUnclear(apply, r, c) {
				decided, isLater = "an earlier rule may match", false
			}
		case u.isUnclear:
			u = unmet{key: u.unclear() + ", so nothing is allowed"}
		case u.key == "" && by != nil && isLater:
			u = unmet{key: fmt.Sprintf("the rule %q rejects it", by.Name)}
		case u.key == "":
			u = unmet{key: "another rule may reject it"}
		}
		if step.WhyNot = u.key; u.key == "" {
			step.Matched, step.After = true, [][]byte{step.Before}
			r.does(&step, msg, msg.Open("params").Raw("options"))
		} else if u.want != "" {
			step.Want, step.Is = fmt.Sprintf("%q", u.want), fmt.Sprintf("%q", u.is)
		}
		steps = append(steps, step)
	}
	return steps
}

// unclear says why it is not known whether the condition is met.
func (u unmet) unclear() string {
	if u.is != "" {
		return u.key + " may match"
	}
	return u.key + " is not known"
}

// isFirstUnclear reports whether a rule that may match keeps all later rules from deciding: no rule
// before it matches.
func isFirstUnclear(rules []*Rule, r *Rule, c *call) bool {
	for _, earlier := range rules {
		if earlier == r {
			return true
		}
		if earlier.unmet(c).key == "" {
			return false
		}
	}
	return false
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
