package stats

import "strings"

// Rows are values in the order in which their keys came first. The zero value has none.
type Rows[T any] struct {
	at  map[string]int
	all []T
}

// Of returns the row of a key, which is fresh if the key came for the first time.
func (r *Rows[T]) Of(fresh T, key ...string) *T {
	k := strings.Join(key, "\x00")
	i, known := r.at[k]
	if !known {
		if r.at == nil {
			r.at = map[string]int{}
		}
		i = len(r.all)
		r.at[k] = i
		r.all = append(r.all, fresh)
	}
	return &r.all[i]
}

// All are the rows; never nil.
func (r *Rows[T]) All() []T { return append([]T{}, r.all...) }
