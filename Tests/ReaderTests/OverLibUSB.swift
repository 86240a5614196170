import Testing

/// The driver on simulated readers through the real libusb, whose system calls the bridge answers. ``USBBridgeRun`` runs
/// these suites where the bridge is; anywhere else they have nothing to talk to.
///
/// One after the other: time is real here, and every test counts what it leaves behind.
@Suite(.serialized, .enabled(if: USBBridge.isPresent), .timeLimit(.minutes(1))) enum OverLibUSB {}
