package process

// A Process is a process of a [Group].
type Process struct {
	ID   int
	Name string // of the program; it may be cut
}
