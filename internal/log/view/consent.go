package view

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/log/stats"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/text/terminal"
)

// Consent is what an agent asked for, and what it ran.
type Consent struct {
	Requests  int        `json:"requests"`  // for permission, of the agent
	Decisions []Decision `json:"decisions"` // of permission rules, in the order of their first; never nil
	Commands  int        `json:"commands"`  // tool calls of the kind execute that began
	First     []uint64   `json:"first"`     // the numbers of the first ones, at most mostNumbers
	isPart    bool       // messages are missing, so there may have been more requests
}

// A Decision counts the requests that a permission rule decided with an option of one kind.
type Decision struct {
	Rule     string   `json:"rule"`
	Answer   string   `json:"answer"` // the kind of the option
	Requests int      `json:"requests"`
	First    []uint64 `json:"first"` // the numbers of the first responses, at most mostNumbers
}

// A ranCall is what is known of a tool call.
type ranCall struct {
	kind           string
	isRun, isEnded bool
}

// consentOf reads what a record says about permissions. It leaves out the calls that an agent
// replays when a session is loaded.
func consentOf(h *history.History) Consent {
	missing := h.Missing
	c := Consent{Decisions: []Decision{}, First: []uint64{}, isPart: missing.Before > 0 || missing.Gaps > 0 || missing.Entries > 0 || missing.Broken > 0}
	var decisions stats.Rows[Decision]
	loading := map[string]int{}
	calls := map[string]ranCall{} // by session and call
	for _, m := range h.Messages {
		if m.Kind == history.Response && m.Request != nil && isLoad(m.Request.Method) && m.Request.Got == m {
			loading[m.Request.Session]--
		}
		if !m.Message.Received() {
			continue
		}
		isAgents := m.Message.Dir == record.Agent
		switch {
		case m.Kind == history.Request && !isAgents && isLoad(m.Method):
			loading[m.Session]++
		case m.Kind == history.Request && isAgents && m.Method == acp.SessionRequestPermission:
			c.Requests++
			if rule := ruleOf(m.Got); rule != "" {
				answer := chosen(m, m.Got).Kind
				d := decisions.Of(Decision{Rule: rule, Answer: answer, First: []uint64{}}, rule, answer)
				d.Requests++
				d.First = first(d.First, m.Got.Seq)
			}
		case isAgents && (m.Update == acp.ToolCall || m.Update == acp.ToolCallUpdate) && loading[m.Session] == 0:
			update := updateOf(m)
			key := m.Session + "\x00" + text(update, "toolCallId")
			is, status := calls[key], text(update, "status")
			if m.Update == acp.ToolCall && is.isEnded {
				is = ranCall{} // another call with its id
			}
			if kind := text(update, "kind"); kind != "" {
				is.kind = kind
			}
			if began := status == acp.StatusInProgress || status == acp.StatusCompleted; began && is.kind == acp.KindExecute && !is.isRun {
				is.isRun = true
				c.Commands++
				c.First = first(c.First, m.Seq)
			}
			if status != "" {
				is.isEnded = acp.IsOver(status)
			}
			remember(&calls, key, is)
		}
	}
	c.Decisions = append(c.Decisions, decisions.All()...)
	return c
}

func isLoad(method string) bool { return method == acp.SessionLoad || method == acp.SessionResume }

// ruleOf returns the name of the permission rule that made a response, or "".
func ruleOf(response *history.Message) string {
	if response == nil {
		return ""
	}
	i := slices.IndexFunc(response.Message.Reasons, func(r record.Reason) bool { return r.Code == "permission.answered" })
	if i < 0 {
		return ""
	}
	return response.Message.Reasons[i].By
}

// first adds a number, if there is room.
func first(numbers []uint64, seq uint64) []uint64 {
	if len(numbers) < mostNumbers {
		numbers = append(numbers, seq)
	}
	return numbers
}

// lines describe the decisions of rules, and say if the agent runs commands without asking.
func (c Consent) lines() (lines []string) {
	if c.Commands > 0 && c.Requests == 0 && !c.isPart {
		lines = append(lines, fmt.Sprintf("this agent ran %s and never asked (%s)", terminal.Count(c.Commands, "command", "commands"), listed(c.First, c.Commands)))
	}
	for _, d := range c.Decisions {
		did := "decided"
		switch {
		case strings.HasPrefix(d.Answer, "allow"):
			did = "allowed"
		case strings.HasPrefix(d.Answer, "reject"):
			did = "rejected"
		}
		lines = append(lines, fmt.Sprintf("the rule %q %s %s (%s)", terminal.Plain(d.Rule, 60), did, terminal.Count(d.Requests, "request", "requests"), listed(d.First, d.Requests)))
	}
	return lines
}

// listed writes the numbers of the first of n messages.
func listed(first []uint64, n int) string {
	var numbers []string
	for _, seq := range first[:min(len(first), mostNumbers)] {
		numbers = append(numbers, fmt.Sprintf("#%d", seq))
	}
	if more := n - len(numbers); more > 0 {
		numbers = append(numbers, fmt.Sprintf("%d more", more))
	}
	return strings.Join(numbers, ", ")
}
