package plans

import (
	"slices"
	"strings"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// A question is a pending permission request about a plan.
type question struct {
	number  int      // see translate.PlanSet.AskAbout
	accepts []string // ids of the options that accept the plan
}

// ask releases plans and documents before a request that needs the user.
func (a *Adapter) ask(m *dispatch.Message) {
	m.Because(whyQuestion)
	if m.Method == acp.SessionRequestPermission && a.translating {
		a.askAbout(m)
	}
	a.releaseBefore(m, m.Session, atQuestion)
}

// askAbout handles a permission request about a plan: one about a switch of the mode. If only the
// call has the plan, the plan is shown from then on. Other calls may have an input called plan,
// too, such as a tariff or the plan of a deployment.
func (a *Adapter) askAbout(m *dispatch.Message) {
	call, _ := wire.Parse(m.Params().Raw("toolCall"))
	announced := a.c.CallOf(m.Session, call)
	kind, _ := announced.Text("kind")
	rawInput, _ := announced.Raw("rawInput")
	input, _ := wire.Parse(rawInput)
	text, _ := input.Text("plan")
	content, _ := wire.Elements(call.Raw("content"))
	if kind != acp.KindSwitchMode || len(m.Session) > conversation.MaxSessionID || !wire.IsString(m.Params().Raw("sessionId")) {
		return
	}
	r, q := a.c.Pending(dispatch.Agent, m.ID), question{accepts: accepting(m.Params())}
	files := a.readFiles(m.Session, atEnd) // the agent may have written what it asks about
	a.applyReads(files)
	s := a.session(m.Session)
	for _, p := range s.allPlans() {
		q.number = p.set.AskAbout(text, len(content) > 0)
	}
	if r != nil {
		a.questions.Put(r, q, 64+16*len(q.accepts)+len(strings.Join(q.accepts, "")))
	}
	a.plansChanged(s)
	a.setHeldDocuments(s, true)
	if a.showAs() == AsPlan && a.isDue(s) {
		a.holdChange(s)
	}
}

// accepting returns the ids of the options of a permission request that allow something.
func accepting(params *wire.Object) (ids []string) {
	options, _ := wire.Elements(params.Raw("options"))
	for _, raw := range options {
		option, _ := wire.Parse(raw)
		id, _ := option.Text("optionId")
		if kind, _ := option.Text("kind"); strings.HasPrefix(kind, "allow") {
			ids = append(ids, id)
		}
	}
	return ids
}

// questionResponse handles the client's response to a question about a plan. Only an option that
// allows accepts the plan.
func (a *Adapter) questionResponse(m *dispatch.Message) {
	outcome, _ := wire.Parse(m.Result().Raw("outcome"))
	id, _ := outcome.Text("optionId")
	if q, ok := a.questions.Get(m.Request); ok && slices.Contains(q.accepts, id) {
		a.questions.Delete(m.Request)
	}
}

// questionEnded handles the end of a request of the agent. If it was about a plan that the user has
// not accepted, the lists that the plan replaced are shown again with the agent's next message.
func (a *Adapter) questionEnded(r *conversation.Request) {
	if q, isAboutPlan := a.questions.Take(r); isAboutPlan {
		a.refuse(r.Session, q)
	}
}

func (a *Adapter) isAsking() bool {
	for range a.questions.All() {
		return true
	}
	return false
}

// endQuestions ends the questions that have no response when their turn ends.
func (a *Adapter) endQuestions(session string) {
	for r, q := range a.questions.All() {
		if r.Session == session {
			a.questions.Delete(r)
			a.refuse(session, q)
		}
	}
}

// refuse notes that the user has not accepted the plan of a question.
func (a *Adapter) refuse(session string, q question) {
	of, _ := a.c.Find(session)
	s, ok := a.sessions.Get(of)
	if !ok {
		return
	}
	changed := false
	for _, p := range s.allPlans() {
		changed = p.set.Refuse(q.number) || changed
	}
	if a.plansChanged(s); changed && a.showAs() == AsPlan {
		a.holdChange(s)
	}
}
