package dispatch

import (
	"slices"
	"testing"

	"acpshim/internal/chain/conversation"
)

// A keeper keeps the line of each request x until all adapters have handled its response.
type keeper struct {
	methodRecorder
	conversation *conversation.Conversation
	lines        *conversation.Slot[*conversation.Request, string]
	last         *conversation.Request
	read         *[]string
}

func (k *keeper) Wants() []Want {
	return []Want{{From: Agent, Methods: []string{"x"}}, {From: Client, Responses: []string{"x"}}}
}

func (k *keeper) reads(where string, r *conversation.Request) {
	line, _ := k.lines.Get(r)
	*k.read = append(*k.read, k.name+" "+where+" "+line)
}

func (k *keeper) Observe(e conversation.Event) {
	if e.Kind == conversation.RequestEnded {
		k.reads("ended", e.Request)
	}
}

func (k *keeper) Handle(m *Message) {
	if m.Kind == Response {
		k.locked("handle", m.Request)
		m.Replace([]byte(`{"id":1,"result":{}}`+"\n"), []byte(`{"id":1,"result":{}}`+"\n")) // each of them meets the next adapter
		return
	}
	k.last = k.conversation.Pending(Agent, m.ID)
	k.lines.Put(k.last, "kept", 4)
}

func (k *keeper) Unread(m *Message, _ error) {
	if m.Request != nil {
		k.locked("unread", m.Request)
	}
}

func (k *keeper) locked(where string, r *conversation.Request) {
	k.reads(where, r)
}

func TestSlotsLastUntilAllAdaptersHandledTheResponse(t *testing.T) {
	ended := []string{"a ended kept", "b ended kept"}
	for _, test := range []struct {
		name, response string
		want           []string
	}{
		{"a response", `{"id":1,"result":{}}`, append([]string{"b handle kept", "a handle kept", "a handle kept"}, ended...)},
		{"one in a batch", `[{"id":1,"result":{}}]`, append([]string{"b handle kept", "a handle kept", "a handle kept"}, ended...)},
		{"one without a result", `{"id":1}`, append([]string{"b unread kept", "a unread kept"}, ended...)},
		{"an ambiguous one", `{"id":1,"result":{},"result":{}}`, append([]string{"b unread kept", "a unread kept"}, ended...)},
	} {
		c := conversation.New(conversation.Options{})
		var read []string
		keepers := []*keeper{{methodRecorder: methodRecorder{recorder{name: "a"}}}, {methodRecorder: methodRecorder{recorder{name: "b"}}}}
		for _, k := range keepers {
			k.conversation, k.lines, k.read = c, conversation.NewSlot[*conversation.Request, string](c), &read
		}
		d := New(c, Options{Adapters: []Adapter{keepers[0], keepers[1]}, Events: Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
		agent, client := d.FromAgent(), d.FromClient()
		through(agent, `{"id":1,"method":"x"}`)
		if through(client, test.response); !slices.Equal(read, test.want) {
			t.Errorf("%s: the adapters read %q, want %q", test.name, read, test.want)
		}
		for _, k := range keepers {
			if line, ok := k.lines.Get(k.last); ok || k.last == nil {
				t.Errorf("%s: then %s keeps %q", test.name, k.name, line)
			}
		}
	}
}
