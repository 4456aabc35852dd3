package plans

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/translate"
)

// whyRepeated is why a plan is dropped that says nothing new.
const whyRepeated = "dropped: the client got this plan already in this turn"

// whyNotAsPlan says where the plan is shown instead.
func (a *Adapter) whyNotAsPlan() string {
	if a.showAs().update() != "" {
		return fmt.Sprintf("held until the reader is needed: plan.show_as = %q%s", a.set.ShowAs, by(a.set.ShowAsBy))
	}
	return fmt.Sprintf("dropped: plan.show_as = %q%s", a.set.ShowAs, by(a.set.ShowAsBy))
}

// whyShown says which plans the client is shown.
func (a *Adapter) whyShown(s *session) string {
	shown, others := s.current().set.Names(a.set.Policy)
	text := "shows that no plan is left"
	if len(shown) > 0 {
		text = "shows " + list(shown)
	}
	if len(others) > 0 {
		text += ", not " + list(others)
	}
	return text + a.policy()
}

// whyNotShown says why the client is shown nothing for update u.
func (a *Adapter) whyNotShown(s *session, u translate.Update) string {
	text := "merged: what the client is shown stays the same"
	shown, others := s.current().set.Names(a.set.Policy)
	if slices.Contains(others, u.Name()) {
		text = "not shown, but " + list(shown) + a.policy()
	}
	if a.documents[s] && (u.Kind == translate.Markdown || u.Kind == translate.File) {
		text += "; its text is held until the reader is needed"
	}
	return text
}

func (a *Adapter) policy() string {
	return fmt.Sprintf(" (plan.policy = %q%s)", a.set.Policy, by(a.set.PolicyBy))
}

// by names what set a value, if something did.
func by(profile string) string {
	if profile == "" {
		return ""
	}
	return " by " + profile
}

// list has the first few of some names, in quotes.
func list(names []string) string {
	const most, longest = 3, 48 // names, and bytes of one; a secret that is cut is not known as one
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
