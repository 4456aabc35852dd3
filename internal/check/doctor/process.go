package doctor

import (
	"context"

	"acpshim/internal/check/peer"
)

// start starts the agent. It ends by [peer.Process.Stop], or when ctx is done.
func (x *examination) start(ctx context.Context) (*peer.Process, error) {
	s := x.Config.Shutdown
	o := peer.Options{
		Command: x.Command, Env: x.Env, Dir: x.Dir, InputGrace: s.InputGrace, TermGrace: s.TermGrace,
	}
	if x.Remote != nil {
		o.Connect = x.Remote.Connect
	}
	return peer.Start(ctx, o)
}
