/// Libraries that the program loads when it needs them, and the one that it was started with.
public struct LibrariesCheck: Check {
    /// A library that is loaded later.
    public struct Library: Sendable {
        /// What people call it.
        public var name: String
        /// The Debian package that has it.
        public var package: String
        /// Loads it.
        ///
        /// - Returns: why it cannot be loaded; nil when it was.
        public var load: @Sendable () -> String?

        public init(name: String, package: String, load: @escaping @Sendable () -> String?) {
            (self.name, self.package, self.load) = (name, package, load)
        }
    }

    private let usbVersion: String
    private let libraries: [Library]

    /// - Parameters:
    ///   - usbVersion: the version of libusb, which is there or the program would not have begun.
    ///   - libraries: the others.
    public init(usbVersion: String, libraries: [Library]) {
        (self.usbVersion, self.libraries) = (usbVersion, libraries)
    }

    public var name: CheckName { .libraries }

    public func findings() async -> [Finding] {
        [.ok(about: "libusb", "version \(usbVersion)")]
            + libraries.map { library in
                guard let reason = library.load() else { return .ok(about: library.name, "can be loaded") }
                return .warning(
                    about: library.name, "cannot be loaded: \(reason)", cause: "what needs it does not work",
                    fix: "sudo apt-get install \(library.package)")
            }
    }
}
