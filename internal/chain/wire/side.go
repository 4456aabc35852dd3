package wire

// A Side is the peer that sends a line. Everything that goes one way is named by its sender.
type Side string

// The sides.
const (
	Client Side = "client"
	Agent  Side = "agent"
)

// Other returns the opposite side.
func (s Side) Other() Side {
	if s == Client {
		return Agent
	}
	return Client
}

// Index returns 0 for the client and 1 for the agent, for arrays of two.
func (s Side) Index() int {
	if s == Client {
		return 0
	}
	return 1
}
