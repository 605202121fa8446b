//! Whether this processor can run code compiled for x86-64-v3.

/// Says which instruction set this build needs and the processor lacks (case L10).
///
/// `is_x86_feature_detected!` cannot be asked: compiled with these features it always says yes.
/// The C shim refuses such processors before `main`; this is the same answer for `doctor`.
///
/// # Errors
/// A sentence for the user.
#[cfg(target_arch = "x86_64")]
pub fn cpu_supported() -> Result<(), String> {
    let cpu = raw_cpuid::CpuId::new();
    let basic = cpu.get_feature_info();
    let extended = cpu.get_extended_feature_info();
    let more = cpu.get_extended_processor_and_feature_identifiers();
    let basic = |has: fn(&raw_cpuid::FeatureInfo) -> bool| basic.as_ref().is_some_and(has);
    let features = [
        ("SSE4.2", basic(raw_cpuid::FeatureInfo::has_sse42)),
        ("POPCNT", basic(raw_cpuid::FeatureInfo::has_popcnt)),
        ("AVX", basic(raw_cpuid::FeatureInfo::has_avx) && basic(raw_cpuid::FeatureInfo::has_oxsave)),
        ("FMA", basic(raw_cpuid::FeatureInfo::has_fma)),
        ("F16C", basic(raw_cpuid::FeatureInfo::has_f16c)),
        ("MOVBE", basic(raw_cpuid::FeatureInfo::has_movbe)),
        ("AVX2", extended.as_ref().is_some_and(raw_cpuid::ExtendedFeatures::has_avx2)),
        ("BMI1", extended.as_ref().is_some_and(raw_cpuid::ExtendedFeatures::has_bmi1)),
        ("BMI2", extended.as_ref().is_some_and(raw_cpuid::ExtendedFeatures::has_bmi2)),
        ("LZCNT", more.as_ref().is_some_and(raw_cpuid::ExtendedProcessorFeatureIdentifiers::has_lzcnt)),
    ];
    let missing: Vec<&str> = features.iter().filter(|(_, has)| !has).map(|(name, _)| *name).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("this processor lacks {}; x86-64-v3 is needed", missing.join(", ")))
}

/// Says which instruction set this build needs and the processor lacks: nothing special here.
///
/// # Errors
/// None.
#[cfg(not(target_arch = "x86_64"))]
pub fn cpu_supported() -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn l10_the_processor_that_runs_this_build_is_supported() {
        assert_eq!(super::cpu_supported(), Ok(()));
    }
}
