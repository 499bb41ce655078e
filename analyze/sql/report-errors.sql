-- title: Errors: which calls failed, how, on what
-- columns: calls call error target
-- parameters: none
-- A connect that goes on in the background (EINPROGRESS) has not failed.
SELECT
	sum(s.errors) AS calls,
	coalesce(c.name, 'call ' || s.call) AS call,
	coalesce(n.name, 'errno ' || s.err) AS error,
	t.text AS target
FROM total_by_error AS s
CROSS JOIN target AS t ON t.id = s.target
LEFT JOIN call AS c ON c.id = s.call
LEFT JOIN errno AS n ON n.err = s.err
GROUP BY s.call, s.err, s.target
ORDER BY calls DESC, call, error, target;
