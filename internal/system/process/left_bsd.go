//go:build unix && !linux && !darwin

package process

// Left reports that the processes of the group are not known.
func (g *Group) Left() (left []Process, ok bool) { return nil, false }
