package plans

import (
	"acpshim/filters"
	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/translate"
	"acpshim/translate/dialect"
	"acpshim/translate/todo"
)

// A house is the adapters of a relay, with one conversation.
type house struct {
	*Adapter
	*dispatch.Dispatcher
	opts options
}

type (
	Conversation   = house
	Implementation = conversation.Implementation
	Requests       = dispatch.OwnRequests
)

type options struct {
	Settings     settings
	For          func(client, agent Implementation) settings
	ReadFile     func(uri string, roots []string) (string, error)
	Rest         func(files []File)
	FilesChanged func()
	Requests     Requests
	MaxBytes     int
	Events       events
}

type settings struct {
	Advertise bool
	Bridge    bool
	Policy    translate.Policy
	ShowAs    ShowAs
	Gates     []string
	Prose     bool
	Tools     []*todo.Tool
}

type events struct {
	Negotiated func(Negotiation)
	Unreadable func(session string, err error)
	Flawed     func(session string, err error)
	Dropped    func(session string, err error)
	Unread     func(err error)
	Forgotten  func(what string)
}

const (
	maxRequests = conversation.MaxRequests
	maxSessions = conversation.MaxSessions
)

// newHouse returns a house in which nothing has been said.
func newHouse(o options) *house {
	var known [2]Implementation
	var set settings
	isSet := false
	settingsFor := func(client, agent Implementation) settings {
		if o.For == nil {
			return o.Settings
		}
		if peers := [2]Implementation{client, agent}; !isSet || peers != known {
			set, known, isSet = o.For(client, agent), peers, true
		}
		return set
	}
	c := conversation.New(conversation.Options{MaxBytes: o.MaxBytes, Evicted: o.Events.Forgotten})
	a := New(c, Options{
		For: func(client, agent Implementation) Settings {
			s := settingsFor(client, agent)
			return Settings{Advertise: s.Advertise, Policy: s.Policy, ShowAs: s.ShowAs, Prose: s.Prose, Tools: s.Tools}
		},
		ReadFile: o.ReadFile, Rest: o.Rest, FilesChanged: o.FilesChanged,
		Events: Events{Negotiated: o.Events.Negotiated, Unreadable: o.Events.Unreadable, Flawed: o.Events.Flawed, Dropped: o.Events.Dropped},
	})
	if o.MaxBytes == 0 {
		o.MaxBytes = c.MaxBytes()
	}
	return &house{a, dispatch.New(c, dispatch.Options{
		Adapters: []dispatch.Adapter{
			filters.NewGatekeeper(func(client, agent Implementation) []string { return settingsFor(client, agent).Gates }),
			a,
			dialect.New(func(client Implementation) bool { return settingsFor(client, Implementation{}).Bridge }),
		},
		Own: o.Requests, Events: dispatch.Events{Unread: o.Events.Unread, Panicked: func(reason any, stack []byte) { panic(string(stack)) }},
	}), o}
}

// OwnResponses is there for the tests that are about them.
func (h *house) OwnResponses(next *dispatch.Direction) *dispatch.Direction { return next }

func (h *house) Busy() bool { return h.c.Busy() }

// kept counts anew what the conversation has counted.
func (h *house) kept() int {
	sum := h.c.Recount()
	for _, s := range h.sessions {
		sum += s.weight()
	}
	return sum
}
