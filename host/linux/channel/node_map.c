// SPDX-License-Identifier: GPL-2.0
/*
 * Implements mmap() of a node. When its channel is destroyed, each page of a mapping is replaced by a zeroed page of
 * the node. The system's memory is then free, and accesses of the process do not kill it.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include <host/linux/compat.h>
#include <host/linux/channel/node.h>

/*
 * The first access maps the whole channel, so that later ones cost nothing. mmap() cannot map it, because node_unmap()
 * would not find the pages yet. This does not wait for another process, because node->lock is never held during such a
 * wait.
 */
static vm_fault_t node_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct node *node = vma->vm_private_data;
	vm_fault_t result = VM_FAULT_NOPAGE;

	mutex_lock(&node->lock);
	if (node->channel->ended)
		result = vmf_insert_pfn(vma, vmf->address, page_to_pfn(node->zeroed));
	else
		for (unsigned long at = vma->vm_start;
		     at < vma->vm_end && result == VM_FAULT_NOPAGE; at += PAGE_SIZE)
			result = vmf_insert_pfn(vma, at,
						node->channel->pfn + linear_page_index(vma, at));
	mutex_unlock(&node->lock);
	return result;
}

static const struct vm_operations_struct operations = { .fault = node_fault };

int node_mmap(struct file *file, struct vm_area_struct *vma)
{
	const struct node_session *session = file->private_data;
	struct node *node = session->node;
	const struct host_channel *channel = node->channel;
	int error;

	if ((file->f_mode & (FMODE_READ | FMODE_WRITE)) != (FMODE_READ | FMODE_WRITE))
		return -EACCES;
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != channel->pages * PAGE_SIZE ||
	    !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	error = node_lock(node);
	if (error)
		return error;
	if (!node->zeroed)
		node->zeroed = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (node->zeroed && channel->mode != LIMPET_CHANNEL_SHARED)
		WRITE_ONCE(node->mapped, true);
	mutex_unlock(&node->lock);
	if (!node->zeroed)
		return -ENOMEM;
	vma_flags_add(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = node;
	vma->vm_ops = &operations;
	return 0;
}

void node_unmap(struct node *node)
{
	mutex_lock(&node->lock);
	if (node->mapping)
		unmap_mapping_range(node->mapping, 0, 0, 1);
	mutex_unlock(&node->lock);
}
