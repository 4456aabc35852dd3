package plans

import (
	"fmt"
	"slices"
	"strings"

	"acpshim/translate"
)

// Why something is shown, held or dropped, for records. Of what the peers said only the ids of
// plans stand there.
const (
	whyAdvertised = "plan.advertise: the client does not announce plan updates, and gets them translated"
	whySenseless  = "dropped: a client would refuse it"
	whyRepeated   = "dropped: the client has this plan already"
	whyEarly      = "held until the client knows the session"
	whyUnread     = "held until its file was read"
	whyLarge      = "held: it is large, and is shown once for all updates that are there"
	whyTodos      = "made of the call of a todo tool"
	whyTakenBack  = "the agent sends plans: what was made of its todo tools is taken back"
	whyQuestion   = "held until a request needs the reader"
	whyTurnEnded  = "held until the end of the turn"
	whyOpened     = "held until the session was opened"
	whyFlushed    = "held until no more lines came"
)

// whyNotAsPlan says where the plan is shown instead.
func (a *Adapter) whyNotAsPlan() string {
	if a.showAs().update() != "" {
		return fmt.Sprintf("held until the reader is needed: plan.show_as = %q%s", a.set.ShowAs, by(a.set.ShowAsBy))
	}
	return fmt.Sprintf("dropped: plan.show_as = %q%s", a.set.ShowAs, by(a.set.ShowAsBy))
}

// whyShown says which plans the client is shown.
func (a *Adapter) whyShown(s *session) string {
	shown, others := s.now.set.Names(a.set.Policy)
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
	shown, others := s.now.set.Names(a.set.Policy)
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
