//! Which processors there are, and which one a model goes to.

use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::{LlamaBackendDevice, LlamaBackendDeviceType, list_llama_ggml_backend_devices};

use super::backend::backend;
use crate::models::options::Gpu;
use crate::models::{Device, ModelError};

/// Lists the devices llama.cpp sees.
///
/// # Errors
/// When llama.cpp does not start.
pub fn devices() -> Result<Vec<Device>, ModelError> {
    backend()?;
    Ok(list_llama_ggml_backend_devices().into_iter().map(Device::from).collect())
}

impl From<LlamaBackendDevice> for Device {
    fn from(device: LlamaBackendDevice) -> Self {
        let gpu =
            matches!(device.device_type, LlamaBackendDeviceType::Gpu | LlamaBackendDeviceType::IntegratedGpu);
        Self {
            index: device.index,
            software: gpu && is_software(&device.description),
            gpu,
            name: device.name,
            description: device.description,
            memory_total: device.memory_total as u64,
            memory_free: device.memory_free as u64,
        }
    }
}

fn is_software(description: &str) -> bool {
    let name = description.to_ascii_lowercase();
    ["llvmpipe", "lavapipe", "swiftshader", "softpipe"].iter().any(|software| name.contains(software))
}

/// Where a model goes before it is loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) device: Option<Device>,
    pub(super) reason: String,
    pub(super) gpu_layers: u32,
}

impl Choice {
    pub(super) fn cpu(reason: impl Into<String>) -> Self {
        Self { device: None, reason: reason.into(), gpu_layers: 0 }
    }

    /// Says whether falling back to the CPU would be something else.
    pub(super) fn is_gpu(&self) -> bool {
        self.device.is_some()
    }

    pub(super) fn name(&self) -> String {
        match &self.device {
            Some(device) => format!("{} ({})", device.name, device.description),
            None => "CPU".into(),
        }
    }

    pub(super) fn model_params(&self) -> Result<LlamaModelParams, ModelError> {
        let devices: Vec<usize> = self.device.iter().map(|device| device.index).collect();
        LlamaModelParams::default()
            .with_n_gpu_layers(self.gpu_layers)
            .with_use_mmap(true)
            .with_devices(&devices)
            .map_err(|error| ModelError::Runtime { role: "any", reason: error.to_string() })
    }
}

/// Chooses from `devices` for a model of `layers` layers whose weights take `weight_bytes` and
/// whose context and working memory take about `working_bytes`.
pub(super) fn choose(
    wanted: Gpu,
    devices: &[Device],
    layers: u32,
    weight_bytes: u64,
    working_bytes: u64,
) -> Result<Choice, ModelError> {
    match wanted {
        Gpu::Off => Ok(Choice::cpu("the GPU is switched off")),
        Gpu::Device(index) => match devices.iter().find(|device| device.index == index) {
            Some(device) if device.gpu => Ok(Choice {
                device: Some(device.clone()),
                reason: "asked for".into(),
                gpu_layers: layers + 1,
            }),
            Some(_) => Ok(Choice::cpu("asked for")),
            None => Err(ModelError::Runtime {
                role: "any",
                reason: format!("there is no device {index}; {} devices are known", devices.len()),
            }),
        },
        Gpu::Auto => Ok(choose_automatically(devices, layers, weight_bytes, working_bytes)),
    }
}

fn choose_automatically(devices: &[Device], layers: u32, weight_bytes: u64, working_bytes: u64) -> Choice {
    let usable = devices.iter().filter(|device| device.gpu && !device.software);
    let Some(device) = usable.max_by_key(|device| device.memory_free) else {
        let software: Vec<&str> =
            devices.iter().filter(|d| d.software).map(|d| d.description.as_str()).collect();
        return Choice::cpu(match software.first() {
            Some(name) => format!("no usable GPU: {name} is software"),
            None => "no GPU found".to_string(),
        });
    };
    let gpu_layers = fitting_layers(device.memory_free, layers, weight_bytes, working_bytes);
    if gpu_layers * 4 < layers {
        return Choice::cpu(format!(
            "{} has {} MB free, too little for {} MB of weights",
            device.description,
            device.memory_free >> 20,
            weight_bytes >> 20
        ));
    }
    let reason = if gpu_layers > layers {
        format!("usable GPU with {} MB free", device.memory_free >> 20)
    } else {
        format!("{gpu_layers} of {layers} layers fit the {} MB free", device.memory_free >> 20)
    };
    Choice { device: Some(device.clone()), reason, gpu_layers }
}

/// Layers that fit `free` bytes with a tenth kept back; `layers + 1` (the output too) when all do.
fn fitting_layers(free: u64, layers: u32, weight_bytes: u64, working_bytes: u64) -> u32 {
    let room = (free / 10 * 9).saturating_sub(working_bytes);
    if weight_bytes <= room {
        return layers + 1;
    }
    let per_layer = (weight_bytes / u64::from(layers.max(1))).max(1);
    u32::try_from(room / per_layer).unwrap_or(u32::MAX).min(layers)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn device(index: usize, description: &str, gpu: bool, free_mb: u64) -> Device {
        Device {
            index,
            name: format!("Vulkan{index}"),
            description: description.into(),
            gpu,
            software: gpu && is_software(description),
            memory_total: free_mb << 20,
            memory_free: free_mb << 20,
        }
    }

    #[test]
    fn software_vulkan_is_used_only_when_asked_for() {
        let devices =
            [device(0, "llvmpipe (LLVM 15.0.6, 256 bits)", true, 20_000), device(1, "CPU", false, 0)];
        let chosen = choose(Gpu::Auto, &devices, 12, 1 << 20, 1 << 20).unwrap();
        assert!(!chosen.is_gpu());
        assert!(chosen.reason.contains("llvmpipe"), "{}", chosen.reason);
        assert!(choose(Gpu::Device(0), &devices, 12, 1 << 20, 1 << 20).unwrap().is_gpu());
        assert!(!choose(Gpu::Device(1), &devices, 12, 1 << 20, 1 << 20).unwrap().is_gpu());
        assert!(choose(Gpu::Device(9), &devices, 12, 1 << 20, 1 << 20).is_err());
    }

    #[test]
    fn the_largest_gpu_is_taken_and_layers_fitted() {
        let devices = [device(0, "small", true, 2_000), device(1, "large", true, 8_000)];
        let all = choose(Gpu::Auto, &devices, 28, 1 << 30, 500 << 20).unwrap();
        assert_eq!((all.device.unwrap().index, all.gpu_layers), (1, 29));
        let part = choose(Gpu::Auto, &devices[..1], 28, 2 << 30, 500 << 20).unwrap();
        assert!(part.gpu_layers < 28 && part.gpu_layers > 10, "{part:?}");
        let none = choose(Gpu::Auto, &devices[..1], 28, 40 << 30, 500 << 20).unwrap();
        assert!(!none.is_gpu() && none.reason.contains("too little"), "{none:?}");
        assert_eq!(choose(Gpu::Auto, &[], 28, 1, 1).unwrap().reason, "no GPU found");
    }
}
