package proxy

import (
	"io"
	"syscall"
	"time"
)

// A Peer is the agent of a [Run]: a program that it started, or a connection to another machine.
// One goroutine calls Read, another one calls Write, and a third one calls the other methods.
type Peer interface {
	io.Reader // the agent's output; it ends with io.EOF, or os.ErrClosed after CloseRead
	io.Writer // the agent's input; Write blocks until the agent reads

	CloseWrite() // the client has closed its side
	CloseRead()  // nobody reads the agent's output any more

	Exited() <-chan struct{} // closed when the agent has ended
	Drain(d time.Duration)   // ends Read after d, because the agent has ended but its children may write
	Signal(s syscall.Signal) // sends a signal to the agent and its children
	Runs() bool              // reports whether children run although the agent has ended

	Status() Status           // how the agent ended; only after Exited
	Close(rest time.Duration) // ends the children after rest
}
