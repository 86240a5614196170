/// Something that wakes the program when a USB device may have come, changed or gone, and lets it sleep otherwise.
protocol DeviceChangeSignal: Sendable {
    /// Begins to call `notify`, on any thread and more often than something happens.
    ///
    /// - Returns: what goes on until it is cancelled; nil when this machine does not offer it.
    func observe(_ notify: @escaping @Sendable () -> Void) -> FileDescriptorWatch?
}
