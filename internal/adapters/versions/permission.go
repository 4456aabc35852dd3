package versions

import (
	"fmt"

	"acpshim/internal/chain/acp"
	"acpshim/internal/chain/wire"
)

// permissionTo1 returns the members that version 1 requires in a permission request: its tool call,
// and its options. The members of version 2 stay. Number is part of the id if there is no call.
// Such a call has no kind, because a rule could allow a kind that the agent has not named.
func (s *session) permissionTo1(params *wire.Object, number int) []wire.Setting {
	title, _ := params.Text("title")
	if title == "" {
		title = "Permission required"
	}
	description, _ := params.Text("description")
	subject := open(params.Raw("subject"), "toolCall")
	var about []byte
	switch kind, _ := subject.Text("type"); kind {
	case acp.SubjectToolCall:
		about = s.callTo1(subject.Open("toolCall"), title, description)
	case "command":
		command, _ := subject.Text("command")
		rawInput := object(nil).text("command", command).with("cwd", present(subject.Raw("cwd"))).json()
		id, ok := subject.Text("toolCallId")
		if of := s.calls.byID[id]; of != nil && (of.isAnnounced || of.known != nil) {
			s.calls.renew(of)
			notes := notesOf(title, description, "$ "+command)
			asked := object(nil).text("toolCallId", id).text("kind", acp.KindExecute).with("rawInput", rawInput)
			about = s.wholeTo1(asked, nil, of, title, notes...).json()
			break
		}
		if !ok {
			id = fmt.Sprintf("acpshim-permission-%d", number)
		}
		content, _ := s.contentOf(&call{}, notesOf(description, "$ "+command)...)
		about = object(nil).text("toolCallId", id).text("title", title).text("kind", acp.KindExecute).text("status", acp.StatusPending).
			with("rawInput", rawInput).with("content", content).json()
	}
	if about == nil {
		content, _ := s.contentOf(&call{}, notesOf(description)...)
		about = object(nil).text("toolCallId", fmt.Sprintf("acpshim-permission-%d", number)).text("title", title).
			text("status", acp.StatusPending).with("content", content).json()
	}
	set := []wire.Setting{{Name: "toolCall", Value: about}}
	if options := params.Raw("options"); options != nil {
		set = append(set, wire.Setting{Name: "options", Value: permissionOptionsTo1(options)})
	}
	return set
}

// callTo1 translates the tool call of a permission request, and adds what is known of the call. If
// the call has another title than the request, the title of the request becomes a note.
func (s *session) callTo1(call *wire.Object, title, description string) []byte {
	id, ok := call.Text("toolCallId")
	if !ok || len(id) > maxID {
		return nil
	}
	of, _ := s.calls.use(id)
	s.calls.renew(of)
	notes := notesOf(description)
	own, _ := call.Text("title")
	if own == "" {
		own, _ = open(of.known.json()).Text("title")
	}
	if own != title && (own != "" || of.hasTitle) {
		notes = notesOf(title, description)
	}
	return s.wholeTo1(nil, call, of, title, notes...).json()
}

// notesOf returns a note for each text that is not empty.
func notesOf(all ...string) (parts []part) {
	for _, text := range all {
		if text != "" {
			parts = append(parts, note(text))
		}
	}
	return parts
}
