// Echoes the frames of all WebSockets that come to this blocking socket; returns when it cannot.
int echo_all(int listening);
