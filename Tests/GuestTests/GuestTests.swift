import Testing

/// The driver on a stock kernel's USB stack, with a reader that QEMU made. Scripts/test-usb boots that kernel; elsewhere
/// these tests have nothing to talk to.
///
/// There is one reader, and every test moves it: they run one after the other.
@Suite(.serialized, .enabled(if: Guest.port != nil, "runs in the guest of Scripts/test-usb"), .timeLimit(.minutes(3)))
struct GuestTests {}
