internal import Glibc

/// What has to hold for the process before it touches a file.
enum ProcessSetup {
    static func prepare() {
        // A reader of the output that goes away, or a limit of file sizes, is an error of one write, not the
        // end of a payment.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // A file that is opened while a standard stream is closed would get its number, and then its text.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }
}
