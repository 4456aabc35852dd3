package versions

import "acpshim/internal/chain/wire"

// withoutSessions returns the content of a tool call without its references to other sessions. A
// client that does not announce support for subagents either refuses such an update, or shows
// nothing in place of what the call had. withoutSessions returns the content itself if it has no
// reference, and nil if it has nothing else.
func withoutSessions(content []byte) []byte {
	left := wire.MapElements(content, func(element []byte) []byte {
		if referredSession(element) != "" {
			return nil
		}
		return element
	})
	switch elements, _ := wire.Elements(left); {
	case left == nil:
		return content
	case len(elements) == 0:
		return nil
	}
	return left
}

// referredSession returns the id of the session to which an element of a tool call's content
// refers, or "".
func referredSession(element []byte) string {
	o, _ := wire.Parse(element)
	if kind, _ := o.Text("type"); kind != "session" {
		return ""
	}
	id, _ := o.Text("sessionId")
	return id
}
