extension ATR {
    /// WWT of T=0: the most time between two characters, 960 x WI x D etu (ISO/IEC 7816-3 §10.2), with the
    /// F and D in use and the card's clock.
    public func workWaitingTime(rate: TransmissionRate = .initial, clockHertz: Int) -> Duration {
        rate.time(units: 960 * Int(waitingTimeInteger) * rate.baudRateAdjustment, clockHertz: clockHertz)
    }

    /// BWT of T=1: the most time before the card's block, 2^BWI x 960 x 372 / f + 11 etu (ISO/IEC 7816-3
    /// §11.4.3), with the F and D in use and the card's clock.
    public func blockWaitingTime(rate: TransmissionRate = .initial, clockHertz: Int) -> Duration {
        TransmissionRate.initial.time(units: 960 << Int(blockWaitingTimeInteger), clockHertz: clockHertz)
            + rate.time(units: 11, clockHertz: clockHertz)
    }

    /// CWT of T=1: the most time between two characters of a block, 2^CWI + 11 etu (ISO/IEC 7816-3
    /// §11.4.3), with the F and D in use and the card's clock.
    public func characterWaitingTime(rate: TransmissionRate = .initial, clockHertz: Int) -> Duration {
        rate.time(units: 1 << Int(characterWaitingTimeInteger) + 11, clockHertz: clockHertz)
    }
}
