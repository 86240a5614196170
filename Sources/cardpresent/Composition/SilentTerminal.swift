internal import Glibc

/// A terminal that does not show what is typed. It shows it again at the end, and a signal that would end the program before
/// that only ends the read that waits.
struct SilentTerminal {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    private var settings = termios()
    private var actions: [sigaction] = []

    init() {
        tcgetattr(STDIN_FILENO, &settings)
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        for signal in Self.signals {
            var (interrupting, before) = (sigaction(), sigaction())
            interrupting.__sigaction_handler.sa_handler = { _ in }
            sigaction(signal, &interrupting, &before)
            actions.append(before)
        }
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    }

    func end() {
        var shown = settings
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
        for (signal, before) in zip(Self.signals, actions) {
            var before = before
            sigaction(signal, &before, nil)
        }
        StandardError.write("\n")
    }
}
