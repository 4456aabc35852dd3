package filters

import "acpshim/translate"

// Settings say how plans are translated, and what is kept from the client. The
// zero value translates what arrives by the default policy, advertises nothing,
// drops prose and keeps nothing from anybody.
type Settings struct {
	Advertise bool             // announce plan support to the agent for an old client
	Bridge    bool             // let a capable client and a capable agent of different dialects meet
	Policy    translate.Policy // "" is translate.Checklists
	ShowAs    ShowAs           // "" is AsPlan
	Gates     []string         // names of Gates: features that are kept from clients that do not announce them
	Prose     bool             // tell the reader the text of documents that say more than their entries

	// Tools are the todo tools whose calls become a legacy plan, for every
	// client. The first one that recognises a call reads it.
	Tools []*translate.Tool
}

// settings are those for two peers; of the agent nothing is known before it
// has answered initialize.
func (o Options) settings(client, agent Implementation) Settings {
	s := o.Settings
	if o.For != nil {
		s = o.For(client, agent)
	}
	if s.Policy == "" {
		s.Policy = translate.Checklists
	}
	if s.ShowAs == "" {
		s.ShowAs = AsPlan
	}
	return s
}
