package plans

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/translate"
)

// whyRepeated is the reason for dropping a plan without changes.
const whyRepeated = "the client already got this plan in this turn"

func (a *Adapter) whyNotAsPlan() string {
	if a.showAs().update() != "" {
		return fmt.Sprintf("acpshim shows the plan later as text, because plan.show_as is %q%s", a.set.ShowAs, profileNote(a.set.ShowAsBy))
	}
	return fmt.Sprintf("the plan is dropped, because plan.show_as is %q%s", a.set.ShowAs, profileNote(a.set.ShowAsBy))
}

func (a *Adapter) whyShown(s *session) string {
	shown, others := s.current().set.Names(a.set.Policy)
	if len(shown) == 0 {
		return "no plan is left"
	}
	text := subject(shown) + " shown"
	if len(others) > 0 {
		text += " instead of " + quotedList(others)
	}
	return text + a.policy()
}

func (a *Adapter) whyNotShown(s *session, u translate.Update) string {
	text := "this update changes nothing that the client sees"
	shown, others := s.current().set.Names(a.set.Policy)
	if slices.Contains(others, u.Name()) {
		text = subject(shown) + " shown instead of " + quotedList([]string{u.Name()}) + a.policy()
	}
	if a.documents[s] && (u.Kind == translate.Markdown || u.Kind == translate.File) {
		text += "; its text follows before the next question or at the end of the turn"
	}
	return text
}

func (a *Adapter) policy() string {
	return fmt.Sprintf(", because plan.policy is %q%s", a.set.Policy, profileNote(a.set.PolicyBy))
}

func profileNote(profile string) string {
	if profile == "" {
		return ""
	}
	return " (" + profile + ")"
}

// subject returns the beginning of a sentence about these names.
func subject(names []string) string {
	if len(names) == 1 {
		return quotedList(names) + " is"
	}
	return quotedList(names) + " are"
}

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
