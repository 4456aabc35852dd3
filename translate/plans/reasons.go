package plans

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
)

// Reasons for records. The values are names of plans, as quotedList returns them, then the value of
// the key that the text names, and the profile that set it, if one did.
var (
	whyAnnounced = wire.Reason{Code: "plans.announced", Text: "acpshim announces plan updates and translates them for the client (plan.advertise)"}

	// An update becomes a plan.
	whyShown       = wire.Reason{Code: "plans.shown", Text: `%s is shown, because plan.policy is "%s"`}
	whyShownOver   = wire.Reason{Code: "plans.shown-instead", Text: `%s is shown instead of %s, because plan.policy is "%s"`}
	whyIdle        = wire.Reason{Code: "plans.idle", Text: "the turn ends, so nothing of the plan is in progress any more (plan.idle)"}
	whyNoneLeft    = wire.Reason{Code: "plans.none-left", Text: "no plan is left"}
	whyFromTool    = wire.Reason{Code: "plans.from-tool", Text: "acpshim made this plan from a todo tool's call (plan.tools)"}
	whyToolRemoved = wire.Reason{Code: "plans.tool-plan-removed", Text: "the agent sends plans itself, so the plan from its todo tool is removed"}

	// An update waits.
	whyAsText       = wire.Reason{Code: "plans.waits-as-text", Text: `acpshim shows the plan later as text, because plan.show_as is "%s"`}
	whyTextFollows  = wire.Reason{Code: "plans.waits-as-document", Text: "; its text follows before the next question or at the end of the turn"}
	whyWaitsForTurn = wire.Reason{Code: "plans.waits-for-turn", Text: "the turn is over, so acpshim shows the plan in the next one (turns.late)"}
	whyWaitsToOpen  = wire.Reason{Code: "plans.waits-for-session", Text: "acpshim holds the plan until the client knows the session"}
	whyOnlyTitle    = wire.Reason{Code: "plans.waits-for-steps", Text: "the document has only a title so far, which is not shown as a step"}
	whyWaitsForFile = wire.Reason{Code: "plans.waits-for-file", Text: "acpshim holds the plan until its file is read"}
	whyLarge        = wire.Reason{Code: "plans.waits-for-pause", Text: "the plan is large, so acpshim shows it once for several updates"}

	// An update reaches nobody.
	whyNotShown   = wire.Reason{Code: "plans.not-shown", Text: `the plan is dropped, because plan.show_as is "%s"`}
	whyOtherShown = wire.Reason{Code: "plans.other-shown", Text: `%s is shown instead of %s, because plan.policy is "%s"`}
	whyRepeated   = wire.Reason{Code: "plans.repeated", Text: "the client already got this plan in this turn"}
	whyUnchanged  = wire.Reason{Code: "plans.unchanged", Text: "this update changes nothing that the client sees"}
	whyEmpty      = wire.Reason{Code: "plans.empty", Text: "%s is empty, which changes nothing that the client sees"}
	whyRemoved    = wire.Reason{Code: "plans.removed", Text: "%s is removed, which changes nothing that the client sees"}
	whyMalformed  = wire.Reason{Code: "plans.no-valid-entry", Text: "%s has no valid entry, so there is nothing to show"}
	whyNoList     = wire.Reason{Code: "plans.no-list", Text: "the entries of %s are not a list, so there is nothing to show"}
	whyNoEntries  = wire.Reason{Code: "plans.no-entries", Text: "%s is dropped, because it has no entries at all"}
	whyInvalid    = wire.Reason{Code: "plans.invalid", Text: "the plan is dropped, because clients would refuse it"}

	// What waited is shown.
	whyPause    = wire.Reason{Code: "plans.held-until-pause", Text: "acpshim held the plan until no more updates came"}
	whyOpened   = wire.Reason{Code: "plans.held-until-open", Text: "acpshim held the plan until the session was open"}
	whyUpdate   = wire.Reason{Code: "plans.held-until-update", Text: "acpshim held the plan until the next update of the session"}
	whyCall     = wire.Reason{Code: "plans.held-until-call", Text: "acpshim held the plan until the call that has it ended, for a second at most"}
	whyQuestion = wire.Reason{Code: "plans.held-until-question", Text: "acpshim held the text until the agent's next question"}
	whyTurnEnd  = wire.Reason{Code: "plans.held-until-turn-end", Text: "acpshim held the text until the end of the turn"}
)

// whyNotAsPlan returns the reason why a client that gets no legacy plans does not get one now.
func (a *Adapter) whyNotAsPlan() wire.Reason {
	why := whyNotShown
	if a.showAs().chunk() != "" {
		why = whyAsText
	}
	return setBy(why.With(string(a.set.ShowAs)), a.set.ShowAsBy)
}

// whyPlan returns the reason why the client gets the session's plan as it is.
func (a *Adapter) whyPlan(s *session) wire.Reason {
	switch shown, others := s.current().set.Names(a.set.Policy); {
	case len(shown) == 0:
		return whyNoneLeft
	case len(others) == 0:
		return a.policy(whyShown, shown)
	default:
		return a.policy(whyShownOver, shown, others...)
	}
}

// whyNothing returns the reason why the plan update u, which is m and was applied to s, does not
// change what the client sees.
func (a *Adapter) whyNothing(m *dispatch.Message, s *session, u translate.Update) wire.Reason {
	why := whyUnchanged
	switch shown, others := s.current().set.Names(a.set.Policy); {
	case u.ClearsTodos():
		return whyWithoutEntry(m, u)
	case u.Kind == translate.Removed:
		return whyRemoved.With(nameOf(u))
	case len(shown) > 0 && slices.Contains(others, u.Name()):
		why = a.policy(whyOtherShown, shown, u.Name())
	}
	if a.heldDocuments[s] && (u.Kind == translate.Markdown || u.Kind == translate.File) {
		why.Code, why.Text = whyTextFollows.Code, why.Text+whyTextFollows.Text
	}
	return why
}

// whyRepeats returns the reason why a legacy plan that repeats another one is dropped.
func whyRepeats(m *dispatch.Message, u translate.Update) wire.Reason {
	if u.ClearsTodos() {
		return whyWithoutEntry(m, u)
	}
	return whyRepeated
}

// whyWithoutEntry returns the reason why the plan update u, which is m, has no entry.
func whyWithoutEntry(m *dispatch.Message, u translate.Update) wire.Reason {
	holder := m.Params().Open("update")
	if u.Kind != translate.Legacy {
		holder = holder.Open("plan")
	}
	raw := holder.Raw("entries")
	entries, isList := wire.Elements(raw)
	switch {
	case u.Kind == translate.Markdown, isList && len(entries) == 0, wire.IsAbsent(raw):
		return whyEmpty.With(nameOf(u))
	case isList:
		return whyMalformed.With(nameOf(u))
	}
	return whyNoList.With(nameOf(u))
}

// whyRefused returns the reason why the plan update u, which is m and is not valid, is dropped.
func whyRefused(m *dispatch.Message, u translate.Update) wire.Reason {
	plan := m.Params().Open("update").Open("plan")
	switch kind, _ := plan.Text("type"); {
	case kind != acp.PlanItems:
		return whyInvalid
	case plan.Get("entries") == nil:
		return whyNoEntries.With(nameOf(u))
	}
	return whyNoList.With(nameOf(u))
}

// policy adds to a reason the plans that the policy shows, others, and the policy.
func (a *Adapter) policy(why wire.Reason, shown []string, others ...string) wire.Reason {
	if len(shown) > 1 {
		why.Text = strings.Replace(why.Text, " is ", " are ", 1)
	}
	values := []string{quotedList(shown)}
	if len(others) > 0 {
		values = append(values, quotedList(others))
	}
	return setBy(why.With(append(values, string(a.set.Policy))...), a.set.PolicyBy)
}

// setBy adds to a reason the profile that set the key in it, if one did.
func setBy(why wire.Reason, profile string) wire.Reason {
	if profile != "" {
		why.Text += " (%s)"
		why.Values = append(why.Values, profile)
	}
	return why
}

// nameOf returns the name of the plan of an update in quotes.
func nameOf(u translate.Update) string { return quotedList([]string{u.Name()}) }

// quotedList returns the first three names in quotes.
func quotedList(names []string) string {
	const most, longest = 3, 48 // bytes; a long name is not truncated, because redaction would miss a secret
	var quoted []string
	for _, name := range names[:min(len(names), most)] {
		if len(name) > longest {
			name = "(a long id)"
		}
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	if more := len(names) - most; more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	return strings.Join(quoted, ", ")
}
