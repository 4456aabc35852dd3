package record

import "io"

// Stderr returns a writer for the standard error of the agent. It never fails.
func (r *Recorder) Stderr() io.Writer { return stderr{r} }

type stderr struct{ *Recorder }

func (s stderr) Write(p []byte) (int, error) {
	s.queue.put(streamStderr, p)
	return len(p), nil
}
