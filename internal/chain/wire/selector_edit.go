package wire

import (
	"bytes"
	"errors"
	"strings"
)

// Errors of edits.
var (
	// ErrExists: an object has a member of that name, or of one that differs only in case.
	ErrExists = errors.New("a member of that name exists")
	// ErrLong: the edits would make the line longer than the limit.
	ErrLong = errors.New("the line would become too long")
)

// The edits below return the line with each selected value changed, and every other byte the same.
// Values are JSON on one line. The line may grow by room bytes; the error is ErrLong if it would
// grow by more. It is ErrNoValue if the selector matches nothing, and ErrAmbiguous or ErrMany if an
// object on the way cannot be read. After an error nothing is edited.

// Set replaces the values, or adds them where only the last step is missing: as the last member, or
// as an element if the step is "-" or the number of elements. The error is ErrExists for a member
// that would differ from another one only in case.
func (s Selector) Set(line, value []byte, room int) ([]byte, error) {
	return s.edit(line, room, func(e *editWalk) {
		e.object = func(o *Object, name string) bool { return e.setMember(o, name, value) }
		e.array = func(at int) bool { return e.setElements(at, value) }
	})
}

func (e *editWalk) setMember(o *Object, name string, value []byte) bool {
	if m := o.Get(name); m != nil {
		return e.replace(m.Value, value)
	}
	if o.hasFold(name, nil) {
		return e.failed(ErrExists)
	}
	if e.member == nil {
		e.member = append(append(Quote(nil, name), ':'), value...)
	}
	end := o.Start + 1
	if n := len(o.Members); n > 0 {
		end = o.Members[n-1].Value.End
	}
	return e.insert(o.Start, end, e.member)
}

func (e *editWalk) setElements(at int, value []byte) bool {
	last := e.steps[len(e.steps)-1]
	if !e.chosen(at, func(element Span) bool { return e.replace(element, value) }) {
		return false
	}
	if last.text != "-" && last.index < 0 {
		return true
	}
	n, end := lastElement(e.line, at)
	return last.text != "-" && last.index != n || e.insert(at, end, value)
}

// Delete removes the values with their members or elements, and with each one comma and the space
// up to it.
func (s Selector) Delete(line []byte) ([]byte, error) {
	return s.edit(line, 0, func(e *editWalk) { e.object, e.array = e.deleteMember, e.deleteElements })
}

// Without returns a line without the member at these steps. If the line does not have the member,
// it is returned unchanged.
func Without(line []byte, steps ...string) []byte {
	if shorter, err := Selector(steps).Delete(line); err == nil {
		return shorter
	}
	return line
}

func (e *editWalk) deleteMember(o *Object, name string) bool {
	for i, m := range o.Members {
		if m.Name != name {
			continue
		}
		gone := Span{m.Key.Start, m.Value.End}
		if i+1 < len(o.Members) {
			gone.End = e.behindComma(gone.End)
		} else if i > 0 {
			gone.Start = o.Members[i-1].Value.End
		}
		return e.replace(gone)
	}
	return true
}

func (e *editWalk) deleteElements(at int) bool {
	gone, kept := -1, -1 // the start of the removed elements, and the end of the last one that stays
	end := at + 1        // of the element before
	for i, element := range elements(e.line, at) {
		goes, err := e.chooses(len(e.steps)-1, i, element)
		if err != nil {
			return e.failed(err)
		}
		if goes && gone < 0 {
			gone = element.Start
		}
		if !goes {
			if gone >= 0 && !e.replace(Span{gone, e.behindComma(end)}) {
				return false
			}
			gone, kept = -1, element.End
		}
		end = element.End
	}
	if gone >= 0 && kept >= 0 {
		gone = kept // with the comma before it
	}
	return gone < 0 || e.replace(Span{gone, end})
}

func (e *editWalk) behindComma(end int) int { return end + bytes.IndexByte(e.line[end:], ',') + 1 }

// Rename renames members; elements have no name. The error is ErrExists if the name is taken.
func (s Selector) Rename(line []byte, name string, room int) ([]byte, error) {
	quoted := Quote(nil, name)
	return s.edit(line, room, func(e *editWalk) {
		e.array = func(int) bool { return true }
		e.object = func(o *Object, old string) bool {
			m := o.Get(old)
			switch {
			case m == nil:
				return true
			case o.hasFold(name, m):
				return e.failed(ErrExists)
			}
			return e.replace(m.Key, quoted)
		}
	})
}

// Append adds a value after the last element of each selected array. The error is ErrNotArray if
// the selector names something else.
func (s Selector) Append(line, value []byte, room int) ([]byte, error) {
	if len(s) == 0 {
		return nil, ErrNoValue
	}
	e := &editWalk{walk: &walk{line: line}, room: room}
	for array, err := range s.Each(line) {
		switch {
		case err != nil:
			return nil, err
		case byteAt(line, array.Start) != '[':
			return nil, ErrNotArray
		}
		if _, end := lastElement(line, array.Start); !e.insert(array.Start, end, value) {
			break
		}
	}
	return e.result()
}

// lastElement returns the number of elements of the array at an offset, and the end of the last
// one.
func lastElement(line []byte, at int) (n, end int) {
	end = at + 1
	for i, element := range elements(line, at) {
		n, end = i+1, element.End
	}
	return n, end
}

// An editWalk is a walk that copies the line with edits, in their order.
type editWalk struct {
	*walk
	made   []byte // the line with the edits, up to done
	done   int    // where the last edit ends in the line
	any    bool   // there is an edit
	room   int
	member []byte // that objects get which have none of that name
	err    error
}

// edit walks with what begin sets.
func (s Selector) edit(line []byte, room int, begin func(*editWalk)) ([]byte, error) {
	if len(s) == 0 {
		return nil, ErrNoValue
	}
	e := &editWalk{walk: newWalk(line, s), room: room}
	e.failed = func(err error) bool { e.err = err; return false }
	begin(e)
	e.run()
	return e.result()
}

// replace makes one edit after the earlier ones. It returns false to end the walk.
func (e *editWalk) replace(span Span, with ...[]byte) bool {
	e.made = append(e.made, e.line[e.done:span.Start]...)
	for _, with := range with {
		e.made = append(e.made, with...)
	}
	e.done, e.any = span.End, true
	if len(e.made)-e.done > e.room {
		e.err = ErrLong
	}
	return e.err == nil
}

// insert adds an element or a member to the array or object at an offset whose last one ends at
// end.
func (e *editWalk) insert(at, end int, what []byte) bool {
	if end == at+1 {
		return e.replace(Span{end, end}, what)
	}
	return e.replace(Span{end, end}, []byte{','}, what)
}

func (e *editWalk) result() ([]byte, error) {
	switch {
	case e.err != nil:
		return nil, e.err
	case !e.any:
		return nil, ErrNoValue
	}
	return append(e.made, e.line[e.done:]...), nil
}

// hasFold reports whether a member other than but has that name, ignoring case.
func (o *Object) hasFold(name string, but *Member) bool {
	for i := range o.Members {
		if m := &o.Members[i]; m != but && strings.EqualFold(m.Name, name) {
			return true
		}
	}
	return false
}
