// The turns: a prompt, and what follows until its response.

const turns = []; // {row, until, session, text}
const turnOf = []; // the number of the turn that a row is in, from 1; 0 for none

function findTurns() {
  const open = new Map(); // the number of the turn, by session
  rows.forEach((row, i) => {
    const own = row.stage === "out" && row.of !== undefined;
    if (row.kind === "request" && row.method === "session/prompt" && row.dir === "client" && !own) {
      turns.push({ row: i, until: row.response ?? -1, session: row.session || 0, text: brief(i) });
      open.set(row.session || 0, turns.length);
    }
    const only = open.size === 1 ? open.values().next().value : 0;
    turnOf[i] = row.session ? open.get(row.session) || 0 : only;
    const ended = turns[turnOf[i] - 1];
    if (ended && ended.until === i) open.delete(ended.session);
    else if (ended && ended.until < 0) ended.last = i;
  });
  for (const n of open.values()) turns[n - 1].last = undefined;
}

// ends is when a turn ended. Without a response, it lasted until the next turn or the end.
const ends = (turn) => rows[turn.until < 0 ? turn.last : turn.until]?.at ?? timeline.end;
