package watch

import tea "charm.land/bubbletea/v2"

// A cursor is at one of several items. Each item takes some lines of the screen.
type cursor struct {
	at, top int
	follows bool // stays at the last item
}

// key moves the cursor among n items, and reports whether the key is for that. Page is the number
// of items that page keys move by.
func (c *cursor) key(key string, n, page int) bool {
	switch key {
	case "down", "j":
		c.to(c.at+1, n)
	case "up", "k":
		c.to(c.at-1, n)
	case "pgdown", "space":
		c.to(c.at+max(page, 1), n)
	case "pgup":
		c.to(c.at-max(page, 1), n)
	case "home", "g":
		c.to(0, n)
	case "end", "G":
		c.to(n-1, n)
	default:
		return false
	}
	return true
}

// to moves the cursor to one of n items.
func (c *cursor) to(at, n int) {
	c.at = max(min(at, n-1), 0)
	c.follows = c.at >= n-1
}

// window draws the items around the cursor in so many lines. It scrolls as little as possible.
func (c *cursor) window(n, height int, draw func(i int) []string) (lines []string) {
	if n == 0 || height <= 0 {
		return nil
	}
	c.at = min(c.at, n-1)
	first := c.at // from which the cursor can still be seen
	for room := height - len(draw(first)); first > 0; first-- {
		if room -= len(draw(first - 1)); room < 0 {
			break
		}
	}
	if c.top = min(max(c.top, first), c.at); c.follows {
		c.top = first
	}
	for i := c.top; i < n && len(lines) < height; i++ {
		lines = append(lines, draw(i)...)
	}
	if len(lines) < height && c.top > first {
		c.top = first // there is room for earlier items
		return c.window(n, height, draw)
	}
	return lines[:min(len(lines), height)]
}

// A text is lines that can be scrolled.
type text struct{ top int }

func (t *text) window(lines []string, height int) []string {
	t.top = max(min(t.top, len(lines)-height), 0)
	return lines[t.top:min(t.top+height, len(lines))]
}

// key scrolls, if the key is for that.
func (t *text) key(m *model, key string) tea.Cmd {
	c := cursor{at: t.top}
	if c.key(key, 1<<30, m.height-5) {
		t.top = c.at
	} else if key == "p" {
		return m.pause()
	}
	return nil
}
