package plans

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/translate"
)

// whyRepeated is the reason for dropping a plan without changes.
const whyRepeated = "the client already got this plan in this turn"

// whyNotAsPlan returns where the plan is shown instead.
func (a *Adapter) whyNotAsPlan() string {
	if a.showAs().update() != "" {
		return fmt.Sprintf("acpshim shows the plan later as text, because plan.show_as is %q%s", a.set.ShowAs, by(a.set.ShowAsBy))
	}
	return fmt.Sprintf("the plan is dropped, because plan.show_as is %q%s", a.set.ShowAs, by(a.set.ShowAsBy))
}

// whyShown returns why the client sees which plans.
func (a *Adapter) whyShown(s *session) string {
	shown, others := s.current().set.Names(a.set.Policy)
	if len(shown) == 0 {
		return "no plan is left"
	}
	text := are(shown) + " shown"
	if len(others) > 0 {
		text += " instead of " + list(others)
	}
	return text + a.policy()
}

// whyNotShown returns why the client sees nothing new for update u.
func (a *Adapter) whyNotShown(s *session, u translate.Update) string {
	text := "this update changes nothing that the client sees"
	shown, others := s.current().set.Names(a.set.Policy)
	if slices.Contains(others, u.Name()) {
		text = are(shown) + " shown instead of " + list([]string{u.Name()}) + a.policy()
	}
	if a.documents[s] && (u.Kind == translate.Markdown || u.Kind == translate.File) {
		text += "; its text follows before the next question or at the end of the turn"
	}
	return text
}

func (a *Adapter) policy() string {
	return fmt.Sprintf(", because plan.policy is %q%s", a.set.Policy, by(a.set.PolicyBy))
}

// by names the profile that set a value, if one did.
func by(profile string) string {
	if profile == "" {
		return ""
	}
	return " (" + profile + ")"
}

// are begins a sentence about these names.
func are(names []string) string {
	if len(names) == 1 {
		return list(names) + " is"
	}
	return list(names) + " are"
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
