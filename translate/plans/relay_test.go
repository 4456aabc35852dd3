package plans

import (
	"acpshim/filters"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/translate"
	"acpshim/translate/dialect"
	"acpshim/translate/todo"
)

// A relay has the adapters of package relay except the rules, and their conversation.
type relay struct {
	*Adapter
	*dispatch.Dispatcher
	opts options
}

type (
	Implementation = conversation.Implementation
	Requests       = *dispatch.OwnRequests
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
	LateWait  bool
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

func newRelay(o options) *relay {
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
			return Settings{Advertise: s.Advertise, Policy: s.Policy, ShowAs: s.ShowAs, Prose: s.Prose, LateWait: s.LateWait, Tools: s.Tools}
		},
		ReadFile: o.ReadFile, AwaitWrites: o.Rest, FilesChanged: o.FilesChanged,
		Events: Events{Negotiated: o.Events.Negotiated, Unreadable: o.Events.Unreadable, Flawed: o.Events.Flawed, Dropped: o.Events.Dropped},
	})
	if o.MaxBytes == 0 {
		o.MaxBytes = c.MaxBytes()
	}
	return &relay{a, dispatch.New(c, dispatch.Options{
		Adapters: []dispatch.Adapter{
			filters.NewGatekeeper(func(client, agent Implementation) []string { return settingsFor(client, agent).Gates }),
			a,
			dialect.New(func(client Implementation) bool { return settingsFor(client, Implementation{}).Bridge }),
		},
		Own: o.Requests, Events: dispatch.Events{Unread: o.Events.Unread, Panicked: func(reason any, stack []byte) { panic(string(stack)) }},
	}), o}
}

func (h *relay) Busy() bool { return h.c.Busy() }
