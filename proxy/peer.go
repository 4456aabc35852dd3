package proxy

import (
	"io"
	"syscall"
	"time"
)

// A Peer is an agent as a [Run] sees it: a program that it has started, or a connection to one
// elsewhere. Read and Write are called from one goroutine each, the other methods from a third.
type Peer interface {
	io.Reader // what the agent says; the end is io.EOF, or os.ErrClosed after CloseRead
	io.Writer // what the agent is to get; it waits until that is taken

	CloseWrite() // the client has said all
	CloseRead()  // nobody takes what the agent says any more

	Exited() <-chan struct{} // closed when the agent has ended
	Drain(d time.Duration)   // it has: what it left may go on for so long until Read ends
	Signal(s syscall.Signal) // tells it to end, or what else a signal says
	Runs() bool              // something of it goes on, though it has exited

	// Close ends what is left of it, after that time, and returns how it ended.
	Close(rest time.Duration) Status
}
